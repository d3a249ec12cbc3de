import { AgentError, messageOf, type ErrorCode } from "../error/error.ts";

/** What a person at the command line can do about a failure. */
const ADVICE: { readonly [code in ErrorCode]?: string } = {
  "model/auth": "The key is read from OPENAI_API_KEY, or DASHSCOPE_API_KEY for DashScope.",
  "model/bad-request": "The model is chosen with --model, the server with --base-url.",
  "model/connection": "The server is chosen with --base-url or OPENAI_BASE_URL.",
  "model/rate-limit": "Try again later.",
  "model/unavailable": "Try again later.",
  "model/context-length": "Ask something shorter, or a model with a longer context with --model.",
  "model/bad-response": "Is there a Chat Completions server at --base-url or OPENAI_BASE_URL?",
};

/** What went wrong and what to do, without a stack; not yet on one line. */
export function failureText(thrown: unknown): string {
  const advice = AgentError.is(thrown) ? ADVICE[thrown.code] : undefined;
  return advice ? `${sentence(messageOf(thrown))} ${advice}` : messageOf(thrown);
}

/** Text with an end, so that another sentence can follow. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** The stacks of an error and of its causes. */
export function stackText(thrown: unknown): string {
  const stacks: string[] = [];
  for (
    let at = thrown;
    at !== undefined && stacks.length < 8;
    at = at instanceof Error ? at.cause : undefined
  ) {
    stacks.push(at instanceof Error ? (at.stack ?? messageOf(at)) : messageOf(at));
  }
  return stacks.join("\nCaused by: ");
}
