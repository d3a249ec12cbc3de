import { AgentError, messageOf, type ErrorCode } from "../core/base/error.ts";

/** The hints for a user of the command line about a failure. */
const HINTS: { readonly [code in ErrorCode]?: string } = {
  "model/auth": "The key is read from OPENAI_API_KEY, or DASHSCOPE_API_KEY for DashScope.",
  "model/bad-request": "The model is set with --model, the server with --base-url.",
  "model/content-filter": "What was refused is left out from now on: say it in other words.",
  "model/connection": "The server is set with --base-url or OPENAI_BASE_URL.",
  "model/rate-limit": "Try again later.",
  "model/unavailable": "Try again later.",
  "model/context-length": "Ask a shorter question, or use a model with a longer context with --model.",
  "model/bad-response": "Is there a Chat Completions server at --base-url or OPENAI_BASE_URL?",
};

/** The hints for a user about an address that a server cannot listen on. */
const LISTEN_ERRORS: { readonly [code: string]: (address: string) => string } = {
  EADDRINUSE: (address) => `Another program listens on ${address}: choose another port.`,
  EADDRNOTAVAIL: (address) => `This machine does not have the address ${address}: choose another host.`,
  EACCES: (address) => `Only an administrator may listen on ${address}: choose a port above 1023.`,
};

type ListenError = { readonly [part in "syscall" | "code" | "address" | "port"]?: string | number };

function listenErrorMessage(thrown: unknown): string | undefined {
  const { syscall, code, address, port } = ((AgentError.is(thrown) ? thrown.cause : thrown) ??
    {}) as ListenError;
  return syscall === "listen" ? LISTEN_ERRORS[code ?? ""]?.(`${address}:${port}`) : undefined;
}

/** The message of a failure and what the user can do about it, without a stack trace. It may contain line breaks. */
export function errorMessage(thrown: unknown): string {
  const listenMessage = listenErrorMessage(thrown);
  if (listenMessage !== undefined) return listenMessage;
  const hint = AgentError.is(thrown) ? HINTS[thrown.code] : undefined;
  return hint ? `${asSentence(messageOf(thrown))} ${hint}` : messageOf(thrown);
}

/** The text with a full stop, unless it already ends a sentence. */
export function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** The stack traces of an error and of its causes. */
export function stackTrace(thrown: unknown): string {
  const stacks: string[] = [];
  for (
    let error = thrown;
    error !== undefined && stacks.length < 8;
    error = error instanceof Error ? error.cause : undefined
  ) {
    stacks.push(error instanceof Error ? (error.stack ?? messageOf(error)) : messageOf(error));
  }
  return stacks.join("\nCaused by: ");
}
