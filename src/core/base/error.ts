// src/core/base holds what every layer needs: JSON types, the error class, checks of options, and deep freezing.
import type { JsonObject } from "./json.ts";

/**
 * Every error code, as `area/reason`; callers switch on the code, since there are no subclasses. The areas: `config` (wrong
 * options), `message` (a malformed message), `run` (a call on an agent, or its state), `model`, `tool`, `hook`, `output` (the
 * structured answer), `slot` (a value that belongs to a session), `session` (a stored session), `schedule` (what starts by itself), `workspace`
 * (files and commands), `store` and `queue` (backends).
 */
export const ERROR_CODES = [
  "config/invalid",
  "config/no-slot",
  "config/no-agent",
  "message/invalid",
  "run/busy",
  "run/not-running",
  "run/pending",
  "run/key-reused",
  "run/bad-results",
  "run/undecided",
  "run/stale-decision",
  "run/bad-decision",
  "run/output-schema-missing",
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
  "slot/conflict",
  "slot/invalid",
  "slot/read-only",
  "slot/version",
  "session/not-found",
  "session/conflict",
  "session/agent-changed",
  "session/inner",
  "session/bad-change",
  "session/lease-lost",
  "session/version",
  "session/damaged",
  "session/redacted",
  "session/moved",
  "schedule/never-fires",
  "schedule/unknown-zone",
  "schedule/exists",
  "schedule/not-found",
  "workspace/bad-path",
  "workspace/not-found",
  "workspace/protected",
  "workspace/changed",
  "workspace/gone",
  "workspace/failed",
  "store/failed",
  "queue/failed",
] as const;

/** One of {@link ERROR_CODES}: `area/reason`, such as `model/rate-limit`. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** An {@link AgentError} as plain JSON data, as events, snapshots, stored sessions and HTTP answers contain it. */
export type ErrorInfo = {
  readonly code: ErrorCode;
  /** One sentence for people; names what was expected and what was found. */
  readonly message: string;
  /** True if the same attempt may succeed later; absent means false. */
  readonly isRetryable?: boolean | undefined;
  /** Epoch ms before which a retry is pointless, as the provider or the tool said. */
  readonly retryAt?: number | undefined;
  /** Details for programs, such as `{ status: 429 }` or `{ callId }`; absent if there are none. */
  readonly data?: JsonObject | undefined;
};

/** Options of the constructor of {@link AgentError}. */
export type AgentErrorOptions = {
  /** The original error. It stays in this process and is never serialised. */
  readonly cause?: unknown;
  /** True if the same attempt may succeed later; default: true with `retryAt`, else false. */
  readonly isRetryable?: boolean | undefined;
  /** Epoch ms before which a retry is pointless. */
  readonly retryAt?: number | undefined;
  /** Details for programs; serialised, so it must be JSON. Default `{}`. */
  readonly data?: JsonObject | undefined;
};

const MARKER = Symbol.for("agentchart.AgentError");

/**
 * The only error class of the package. Tools, models and hooks may throw it too, to choose the code and whether a retry makes
 * sense. Use {@link AgentError.is} rather than `instanceof`: it also recognises errors of another copy of the package.
 *
 * @example
 * ```ts
 * import { AgentError } from "agentchart";
 *
 * function replyTo(error: unknown): string {
 *   if (!AgentError.is(error)) throw error;
 *   return error.code === "model/rate-limit" ? "Please ask again later." : `Failed: ${error.message}`;
 * }
 * ```
 */
export class AgentError extends Error {
  readonly code: ErrorCode;
  /** The place in the installed package that explains the code. Node prints it with the error; what is stored does not have it. */
  readonly docs: string;
  readonly isRetryable: boolean;
  readonly retryAt?: number | undefined;
  readonly data: JsonObject;

  constructor(code: ErrorCode, message: string, options: AgentErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AgentError";
    this.code = code;
    this.docs = `agentchart/docs/guide/errors.md#${code.replace("/", "-")}`;
    this.isRetryable = options.isRetryable ?? options.retryAt !== undefined;
    if (options.retryAt !== undefined) this.retryAt = options.retryAt;
    this.data = options.data ?? {};
  }

  static {
    Object.defineProperty(this.prototype, MARKER, { value: true });
  }

  /** Returns the error as plain data, without its cause and its stack. */
  toJSON(): ErrorInfo {
    return {
      code: this.code,
      message: this.message,
      ...(this.isRetryable && { isRetryable: true }),
      ...(this.retryAt !== undefined && { retryAt: this.retryAt }),
      ...(Object.keys(this.data).length > 0 && { data: this.data }),
    };
  }

  /** Returns true for an AgentError of this or another copy of the package. */
  static is(value: unknown): value is AgentError {
    return typeof value === "object" && value !== null && MARKER in value;
  }
}

/** Returns the error `config/invalid`, whose message says what was expected. */
export function configError(message: string, options?: AgentErrorOptions): AgentError {
  return new AgentError("config/invalid", message, options);
}

/** Returns an error that says how something ended and may never be thrown, without a stack: to take one costs more than to close an
 *  agent. */
export function endingError(code: ErrorCode, message: string): AgentError {
  const { stackTraceLimit } = Error;
  Reflect.set(Error, "stackTraceLimit", 0);
  try {
    return new AgentError(code, message);
  } finally {
    Reflect.set(Error, "stackTraceLimit", stackTraceLimit);
  }
}

/** Returns the message of any thrown value: that of an Error, also of another realm, the string itself, or the value as JSON. Never
 *  throws. */
export function messageOf(thrown: unknown): string {
  try {
    const isError = thrown instanceof Error || Object.prototype.toString.call(thrown) === "[object Error]";
    const said: unknown = isError ? (thrown as Error).message || (thrown as Error).name : thrown;
    return typeof said === "string" ? said : (JSON.stringify(said) ?? String(said));
  } catch {
    return typeof thrown === "bigint" ? String(thrown) : "An object was thrown that has no JSON.";
  }
}

/** Returns the errors of the chain of causes, with those of an AggregateError, as refused connections have. */
export function causesOf(thrown: unknown): Error[] {
  const errors: Error[] = [];
  for (let at = thrown; at instanceof Error && errors.length < 16; at = at.cause) {
    errors.push(at);
    if (at instanceof AggregateError) errors.push(...at.errors.filter((error) => error instanceof Error));
  }
  return errors;
}

/** Returns any thrown value as plain data. A value that is not an AgentError gets `fallback` as its code. */
export function errorInfo(thrown: unknown, fallback: ErrorCode): ErrorInfo {
  return AgentError.is(thrown) ? thrown.toJSON() : { code: fallback, message: messageOf(thrown) };
}

/** Returns what was thrown if it is an AgentError; else a new one with the code `fallback`, whose cause it is. */
export function agentErrorOf(thrown: unknown, fallback: ErrorCode): AgentError {
  return AgentError.is(thrown) ? thrown : new AgentError(fallback, messageOf(thrown), { cause: thrown });
}

/** Returns the AgentError for plain data: the inverse of {@link AgentError.toJSON}. */
export function errorFrom(info: ErrorInfo, cause?: unknown): AgentError {
  return new AgentError(info.code, info.message, { ...info, cause });
}
