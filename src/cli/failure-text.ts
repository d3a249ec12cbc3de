import { AgentError, messageOf, type ErrorCode } from "../base/error.ts";

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

/** What a person can do about an address that a server cannot listen on. */
const ADDRESS: { readonly [code: string]: (at: string) => string } = {
  EADDRINUSE: (at) => `Another program listens on ${at}: choose another port.`,
  EADDRNOTAVAIL: (at) => `This machine has no address ${at}: choose another host.`,
  EACCES: (at) => `Nobody but the administrator may listen on ${at}: choose a port above 1023.`,
};

type ListenError = { readonly [part in "syscall" | "code" | "address" | "port"]?: string | number };

function addressText(thrown: unknown): string | undefined {
  const { syscall, code, address, port } = ((AgentError.is(thrown) ? thrown.cause : thrown) ??
    {}) as ListenError;
  return syscall === "listen" ? ADDRESS[code ?? ""]?.(`${address}:${port}`) : undefined;
}

/** What went wrong and what to do, without a stack; not yet on one line. */
export function failureText(thrown: unknown): string {
  const about = addressText(thrown);
  if (about !== undefined) return about;
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
