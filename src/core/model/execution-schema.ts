import type { AgentError } from "../base/error.ts";
import * as s from "../base/option-schema.ts";
import type { Execution } from "./port.ts";

const RETRY_ON = '"retryable", "all" or a function';

/** The schema of {@link Execution}. */
export const executionSchema = s.lazily(() =>
  s.options<Execution>({
    timeoutMs: s.optional(s.positive()),
    idleTimeoutMs: s.optional(s.positive()),
    maxAttempts: s.optional(s.integer(1)),
    initialBackoffMs: s.optional(s.atLeast(0)),
    maxBackoffMs: s.optional(s.atLeast(0)),
    backoffMultiplier: s.optional(s.atLeast(1)),
    retryOn: s.optional(
      s.either(s.oneOf("retryable", "all"), s.func<(error: AgentError) => boolean>(), RETRY_ON),
    ),
  }),
);
