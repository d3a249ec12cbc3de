import { STATUS_CODES } from "node:http";
import { AgentError, type ErrorCode } from "../base/error.ts";

/** What the server itself refuses, beside the codes of {@link AgentError}. */
export type RequestCode =
  | "request/invalid"
  | "request/unauthorized"
  | "request/forbidden"
  | "request/not-found"
  | "request/too-large"
  | "request/too-many"
  | "request/failed";

/** An error as RFC 9457 has it. */
export type Problem = {
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode | RequestCode;
  /** Stands in the server's log too. */
  readonly requestId: string;
};

/** A request that the server refuses. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly code: RequestCode;
  readonly headers: { readonly [name: string]: string };

  constructor(
    status: number,
    code: RequestCode,
    detail: string,
    headers: { readonly [name: string]: string } = {},
  ) {
    super(detail);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** By the code or by its area. */
const STATUS: { readonly [code: string]: number } = {
  "config/invalid": 400,
  "message/invalid": 400,
  "run/timeout": 504,
  "run/shutdown": 503,
  "run/closed": 503,
  "session/not-found": 404,
  "session/damaged": 500,
  "store/failed": 503,
  "queue/failed": 503,
  run: 409,
  session: 409,
  model: 502,
};

function statusOf(code: ErrorCode): number {
  return STATUS[code] ?? STATUS[code.split("/")[0]!] ?? 500;
}

/** The answer to a request that failed. What went wrong inside of us is for the log, not for the caller. */
export function problemResponse(thrown: unknown, requestId: string): Response {
  if (thrown instanceof Refusal) {
    const { status, code, message, headers } = thrown;
    return respond({ status, code, detail: message, requestId }, headers);
  }
  if (AgentError.is(thrown)) {
    const { code } = thrown;
    const status = statusOf(code);
    const detail = status >= 500 ? `${code}; the server's log says more.` : thrown.message;
    return respond({ status, code, detail, requestId }, status === 503 ? { "Retry-After": "1" } : {});
  }
  const detail = "Something failed; the server's log says more.";
  return respond({ status: 500, code: "request/failed", detail, requestId }, {});
}

function respond(problem: Omit<Problem, "title">, headers: { readonly [name: string]: string }): Response {
  const body: Problem = { title: STATUS_CODES[problem.status] ?? "Error", ...problem };
  return Response.json(body, {
    status: problem.status,
    headers: { ...headers, "Content-Type": "application/problem+json" },
  });
}
