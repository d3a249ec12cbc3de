import { STATUS_CODES } from "node:http";
import { AgentError, type ErrorCode } from "../core/base/error.ts";

/** The codes of errors that only the server has, in addition to those of {@link AgentError}. */
export const REQUEST_CODES = [
  "request/invalid",
  "request/unauthorized",
  "request/forbidden",
  "request/not-found",
  "request/too-large",
  "request/too-many",
  "request/failed",
  "webhook/bad-signature",
  "webhook/too-old",
] as const;

/** One of {@link REQUEST_CODES}. */
export type RequestCode = (typeof REQUEST_CODES)[number];

/** The body of an error, as RFC 9457 defines it. */
export type Problem = {
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode | RequestCode;
  /** The place in the installed package that explains the code. */
  readonly docs: string;
  /** The `requestId` of the request in the server's log. */
  readonly requestId: string;
};

/** The place in the installed package that explains a code, as errors of the package have it. */
export const docsOf = (code: string): string => `agentchart/docs/guide/errors.md#${code.replace("/", "-")}`;

/** An error of the request, with its HTTP status and headers. */
export class RequestError extends Error {
  override readonly name = "RequestError";
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

/** The status of a code, or of all codes of an area. */
const STATUS: { readonly [code: string]: number } = {
  "config/invalid": 400,
  "message/invalid": 400,
  "run/bad-decision": 400,
  "run/timeout": 504,
  "run/shutdown": 503,
  "run/closed": 503,
  "session/not-found": 404,
  "session/damaged": 500,
  "slot/conflict": 409,
  "slot/invalid": 400,
  "slot/read-only": 403,
  "store/failed": 503,
  "queue/failed": 503,
  run: 409,
  session: 409,
  model: 502,
};

function statusOf(code: ErrorCode): number {
  return STATUS[code] ?? STATUS[code.split("/")[0]!] ?? 500;
}

/** The response for an error. The message of an internal error is for the log only. */
export function problemResponse(thrown: unknown, requestId: string): Response {
  if (thrown instanceof RequestError) {
    const { status, code, message, headers } = thrown;
    return respond({ status, code, detail: message, requestId }, headers);
  }
  if (AgentError.is(thrown)) {
    const { code } = thrown;
    const status = statusOf(code);
    const detail = status >= 500 ? `${code}; see the server's log.` : thrown.message;
    return respond({ status, code, detail, requestId }, status === 503 ? { "Retry-After": "1" } : {});
  }
  const detail = "The request failed; see the server's log.";
  return respond({ status: 500, code: "request/failed", detail, requestId }, {});
}

function respond(
  problem: Omit<Problem, "title" | "docs">,
  headers: { readonly [name: string]: string },
): Response {
  const title = STATUS_CODES[problem.status] ?? "Error";
  const body: Problem = { title, ...problem, docs: docsOf(problem.code) };
  return Response.json(body, {
    status: problem.status,
    headers: { ...headers, "Content-Type": "application/problem+json" },
  });
}
