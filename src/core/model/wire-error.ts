import { causesOf, messageOf } from "../base/error.ts";

/** An error payload in place of a chunk, in a response with HTTP status 200. */
export class WireError extends Error {
  readonly status: number | undefined;
  readonly error: unknown;

  constructor(payload: unknown) {
    super(textOfPayload(payload));
    this.name = "WireError";
    this.error = payload;
    this.status = ["status", "code", "status_code", "statusCode", "error_code"]
      .map((name) => fieldOf(payload, name))
      .map(Number)
      .find((n) => n >= 400 && n < 600);
  }
}

/** A request without a response: what `fetch` threw is the cause. */
export class ConnectionError extends Error {
  /** True if the request took too long, which fetch says in words or by an abort that nobody asked for. */
  readonly isTimeout: boolean;

  constructor(thrown: unknown) {
    const cause = thrown instanceof Error ? thrown : new Error(messageOf(thrown));
    const isTimeout =
      cause.name === "AbortError" || /timed? ?out/i.test(`${String(cause)} ${String(cause.cause)}`);
    super(isTimeout ? "The request timed out." : "The connection failed.", { cause });
    this.name = "ConnectionError";
    this.isTimeout = isTimeout;
  }
}

/** A response with a status of failure. */
export class RefusalError extends Error {
  readonly status: number;
  readonly headers: Headers;
  /** The error in its body; undefined if it has none that can be read. */
  readonly error: unknown;

  constructor({ status, headers }: Response, error: unknown, text: string) {
    const reason = error === undefined ? text : textOfPayload(error);
    super(`${status} ${reason === "" ? "status code (no body)" : reason}`);
    this.name = "RefusalError";
    this.status = status;
    this.headers = headers;
    this.error = error;
  }
}

/** The information of a thrown value about the server's response. */
export type WireFailure = {
  /** HTTP status, if the server answered. */
  readonly status?: number;
  /** The server's `code` and `type` of the error, separated by a space. */
  readonly kind: string;
  readonly text: string;
  readonly headers?: Headers;
};

/** Returns status, kind, text and headers of an error of the `openai` package, of a {@link RefusalError} or of a {@link WireError}. */
export function wireFailureOf(thrown: unknown): WireFailure {
  const payload = fieldOf(thrown, "error");
  const status = fieldOf(thrown, "status");
  const headers = fieldOf(thrown, "headers");
  const kinds = [fieldOf(payload, "code"), fieldOf(payload, "type")].filter(
    (kind) => typeof kind === "string",
  );
  return {
    ...(typeof status === "number" && { status }),
    kind: kinds.join(" "),
    text: payload === undefined ? innermostMessage(thrown) : textOfPayload(payload),
    ...(isHeaders(headers) && { headers }),
  };
}

/** Returns the epoch ms before which the server wants no other call. It comes from `retry-after-ms` (ms) or `Retry-After` (seconds or a
 *  date); undefined without such a header, and for what is beyond all dates. */
export function retryAtOf(headers: Headers, now: number): number | undefined {
  const ms = Number.parseFloat(headers.get("retry-after-ms") ?? "");
  const after = headers.get("retry-after")?.trim() ?? "";
  const isSeconds = /^\d+(\.\d+)?$/.test(after);
  const at = ms >= 0 ? now + ms : isSeconds ? now + Number(after) * 1_000 : Date.parse(after);
  return Number.isNaN(new Date(at).getTime()) ? undefined : at;
}

/** Fetch throws "fetch failed" with the reason as its cause, so the last message of the chain is the useful one. */
function innermostMessage(thrown: unknown): string {
  return messageOf(causesOf(thrown).at(-1) ?? thrown);
}

/** The fields in which servers put the text of an error. */
const TEXT_FIELDS = ["message", "msg", "detail", "error_msg", "error_message", "errorMessage", "status_msg"];

function textOfPayload(payload: unknown): string {
  const [first] = [fieldOf(payload, "errors")].flat();
  const inner = fieldOf(payload, "base_resp") ?? first ?? payload; // MiniMax; Cloudflare
  const fields = TEXT_FIELDS.map((name) => fieldOf(inner, name));
  return messageOf(fields.find((value) => value !== undefined && value !== null) ?? payload);
}

/** Checked by its method, since a custom `fetch` may have a class of its own. */
function isHeaders(value: unknown): value is Headers {
  return typeof fieldOf(value, "get") === "function";
}

function fieldOf(value: unknown, field: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[field] : undefined;
}
