import type { JsonObject } from "./json.ts";

/** The closed list of failures, `area/reason`. Callers switch on it; there are no subclasses. */
export const ERROR_CODES = [
  "config/invalid",
  "config/no-slot",
  "message/invalid",
  "run/busy",
  "run/pending",
  "run/bad-results",
  "run/undecided",
  "run/stale-decision",
  "run/invalid-event",
  "run/aborted",
  "run/timeout",
  "run/shutdown",
  "run/closed",
  "model/rate-limit",
  "model/unavailable",
  "model/timeout",
  "model/connection",
  "model/auth",
  "model/bad-request",
  "model/context-length",
  "model/content-filter",
  "model/bad-response",
  "model/empty",
  "model/failed",
  "tool/unknown",
  "tool/unavailable",
  "tool/bad-input",
  "tool/failed",
  "tool/timeout",
  "tool/no-result",
  "tool/outcome-unknown",
  "tool/duplicate",
  "tool/unknown-group",
  "hook/failed",
  "hook/bad-return",
  "hook/goto-limit",
  "output/missing",
  "session/not-found",
  "session/conflict",
  "session/lease-lost",
  "session/version",
  "session/damaged",
  "store/failed",
  "queue/failed",
] as const;

/** One of {@link ERROR_CODES}. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** An error as plain data: what machine context, snapshots, journals and events hold. */
export type ErrorInfo = {
  readonly code: ErrorCode;
  readonly message: string;
  readonly isRetryable?: boolean;
  /** Epoch ms before which a retry is pointless, as the provider said. */
  readonly retryAt?: number;
  readonly data?: JsonObject;
};

/** Options of an {@link AgentError}. `cause` stays in this process and is never serialised. */
export type AgentErrorOptions = {
  readonly cause?: unknown;
  readonly isRetryable?: boolean;
  readonly retryAt?: number;
  readonly data?: JsonObject;
};

const MARKER = Symbol.for("agentchart.AgentError");

/** The only error class of the package. `is` also recognises errors of another copy of it. */
export class AgentError extends Error {
  readonly code: ErrorCode;
  readonly isRetryable: boolean;
  readonly retryAt?: number;
  readonly data: JsonObject;

  constructor(code: ErrorCode, message: string, options: AgentErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AgentError";
    this.code = code;
    this.isRetryable = options.isRetryable ?? false;
    if (options.retryAt !== undefined) this.retryAt = options.retryAt;
    this.data = options.data ?? {};
    Object.defineProperty(this, MARKER, { value: true });
  }

  /** The error as plain data; the cause and the stack are left out. */
  toJSON(): ErrorInfo {
    return {
      code: this.code,
      message: this.message,
      ...(this.isRetryable && { isRetryable: true }),
      ...(this.retryAt !== undefined && { retryAt: this.retryAt }),
      ...(Object.keys(this.data).length > 0 && { data: this.data }),
    };
  }

  /** True for an AgentError of this or another copy of the package. */
  static is(value: unknown): value is AgentError {
    return typeof value === "object" && value !== null && MARKER in value;
  }
}

/** What an unknown thrown value says, in one sentence. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message === "" ? thrown.name : thrown.message;
  return typeof thrown === "string" ? thrown : (JSON.stringify(thrown) ?? String(thrown));
}

/** Any thrown value as plain data; values that are no AgentError get `fallback` as their code. */
export function errorInfo(thrown: unknown, fallback: ErrorCode): ErrorInfo {
  return AgentError.is(thrown) ? thrown.toJSON() : { code: fallback, message: messageOf(thrown) };
}

/** The error that plain data stands for. */
export function errorFrom(info: ErrorInfo, cause?: unknown): AgentError {
  return new AgentError(info.code, info.message, { ...info, cause });
}
