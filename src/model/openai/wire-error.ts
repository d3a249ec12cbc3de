import { messageOf } from "../../base/error.ts";

/** An error payload that came where chunks were expected, with HTTP status 200. */
export class WireError extends Error {
  readonly status: number | undefined;
  readonly error: unknown;

  constructor(payload: unknown) {
    super(textOfPayload(payload));
    this.name = "WireError";
    this.error = payload;
    this.status = [fieldOf(payload, "status"), fieldOf(payload, "code")]
      .map(Number)
      .find((n) => n >= 400 && n < 600);
  }
}

/** What a thrown value tells about the server's answer. */
export type WireFailure = {
  /** HTTP status, if the server answered. */
  readonly status?: number;
  /** The server's own words for the kind of failure (`code`, `type`), separated by blanks. */
  readonly kind: string;
  readonly text: string;
  readonly headers?: Headers;
};

/** Reads status, kind, text and headers from an error of the `openai` package or a {@link WireError}. */
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

/** Epoch ms before which the server wants no other call: `retry-after-ms`, or `Retry-After` in seconds or as a date. */
export function retryAtOf(headers: Headers, now: number): number | undefined {
  const ms = Number.parseFloat(headers.get("retry-after-ms") ?? "");
  if (ms >= 0) return now + ms;
  const after = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(after)) return now + Number(after) * 1_000;
  const at = Date.parse(after);
  return Number.isNaN(at) ? undefined : at;
}

/** Every error along the chain of causes, with those that a refused connection bundles. */
export function causesOf(thrown: unknown): Error[] {
  const errors: Error[] = [];
  for (let at = thrown; at instanceof Error && errors.length < 16; at = at.cause) {
    errors.push(at);
    if (at instanceof AggregateError) errors.push(...at.errors.filter((error) => error instanceof Error));
  }
  return errors;
}

/** Fetch says "fetch failed" and hides the reason in the cause, so the last message of the chain is the telling one. */
function innermostMessage(thrown: unknown): string {
  return messageOf(causesOf(thrown).at(-1) ?? thrown);
}

function textOfPayload(payload: unknown): string {
  const message = fieldOf(payload, "message") ?? fieldOf(payload, "detail") ?? payload;
  return messageOf(message);
}

/** By its method: a `fetch` given from outside has its own class. */
function isHeaders(value: unknown): value is Headers {
  return typeof fieldOf(value, "get") === "function";
}

function fieldOf(value: unknown, field: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[field] : undefined;
}
