/**
 * The error of a request that a server has refused, or that no server has answered. Callers switch on {@link SessionError.code}.
 *
 * @example
 * ```ts
 * import { SessionError, type AgentSession } from "agentchart/react";
 *
 * async function say({ send }: AgentSession, text: string): Promise<string> {
 *   try {
 *     await send(text);
 *     return "";
 *   } catch (error) {
 *     if (error instanceof SessionError && error.code === "request/no-answer") return "You are offline.";
 *     throw error;
 *   }
 * }
 * ```
 */
export class SessionError extends Error {
  override readonly name = "SessionError";
  /** The `code` of the server's answer, such as "run/stale-decision" or "session/not-found". It is "request/no-answer" if no server has
   *  answered, "request/no-token" if the function `token` has failed, "request/bad-answer" if what has answered is not a server of Agentchart. */
  readonly code: string;
  /** The HTTP status; 0 without an answer. */
  readonly status: number;

  constructor(code: string, status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.status = status;
  }
}

/** The error that a response stands for: RFC 9457, as the server answers. */
export async function errorOf(response: Response): Promise<SessionError> {
  const { status } = response;
  const problem = (await response.json().catch(() => undefined)) as
    | { readonly code?: unknown; readonly detail?: unknown }
    | undefined;
  const { code, detail } = problem ?? {};
  if (typeof code === "string" && typeof detail === "string") return new SessionError(code, status, detail);
  return badAnswer(response);
}

/** The error of an answer that is not one of a server of Agentchart. */
export function badAnswer({ status }: Response): SessionError {
  const message = `The server answered with status ${status}: check \`url\`.`;
  return new SessionError("request/bad-answer", status, message);
}
