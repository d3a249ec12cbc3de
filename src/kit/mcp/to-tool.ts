import { setImmediate } from "node:timers/promises";
import type { Tool as Listed } from "@modelcontextprotocol/client";
import { AgentError, messageOf } from "../../core/base/error.ts";
import { type Json, type JsonObject, isObject } from "../../core/base/json.ts";
import { defineTool } from "../../core/tool/define.ts";
import { checkForeign, foreignSchema } from "../../core/tool/foreign-schema.ts";
import type { Tool, ToolOutcome } from "../../core/tool/types.ts";
import type { Connection } from "./connection.ts";
import { runRounds } from "./run-rounds.ts";
import { withSignIn } from "./with-sign-in.ts";
import { checkShape, toOutcome } from "./to-outcome.ts";
import { toolName } from "./tool-name.ts";
import type { McpEvent, McpOptions, McpToolOptions } from "./types.ts";
import type { CallWith } from "./in-flight.ts";
import { CUT_OFF, MALFORMED } from "./mend-answer.ts";
import { isUnauthorized } from "./sign-in.ts";
import { safeError, withoutSecrets } from "./transport.ts";

const MAX_DESCRIPTION = 8_000;
const MAX_PROGRESS = 1_000;
/** The pause between reports beyond those, which say that the call goes on, ms. */
const MAX_PAUSE_MS = 10_000;
const MAX_PROGRESS_TEXT = 1_000;
const MAX_RESULT_BYTES = 10_000_000;

/** The data that the tools of one server share. */
export type Source = {
  readonly connection: Connection;
  readonly server: string;
  readonly prefix: string;
  readonly options: McpOptions;
  report(type: McpEvent["type"], message: string, tool?: string): void;
};

function descriptionOf(source: Source, { name, title, description = title ?? "" }: Listed): string {
  if (description.length <= MAX_DESCRIPTION) return description.toWellFormed();
  source.report("warning", `The description was cut after ${MAX_DESCRIPTION} characters.`, name);
  return `${description.slice(0, MAX_DESCRIPTION).toWellFormed()} […]`;
}

/** A size of a result that the model, the transcript and the store can be given. */
function checkSize(result: unknown, max: number): ToolOutcome | undefined {
  const bytes = Buffer.byteLength(JSON.stringify(result) ?? "");
  if (bytes <= max) return undefined;
  const text = `Error: The result has ${bytes} bytes; at most ${max} are accepted. Ask for less.`;
  return { output: [{ type: "text", text }], state: "error" };
}

/** Reports a result that does not keep to its schema. Waits for the check, so that a server cannot ask for many at once. */
async function warnOfMismatch(source: Source, { name, outputSchema }: Listed, structured: unknown) {
  if (!outputSchema || structured === undefined || structured === null) return;
  const checked = await checkForeign(outputSchema as JsonObject, structured as Json);
  if ("problems" in checked)
    source.report("warning", `The result does not keep to its schema: ${checked.problems}`, name);
}

/** Returns a listed tool as a tool of an agent. What the server says of it may make us more careful; only if it is trusted, less. */
export function toTool(
  source: Source,
  listed: Listed,
  { permission, deferred, rename, preset }: McpToolOptions,
): Tool {
  const { connection, server, prefix, options } = source;
  const { name, annotations } = listed;
  const { timeoutMs = 120_000, idleTimeoutMs, maxResultBytes = MAX_RESULT_BYTES } = options;
  const isIdempotent =
    options.trust === true && (annotations?.readOnlyHint === true || annotations?.idempotentHint === true);
  const action = permission ?? (annotations?.destructiveHint === true ? "ask" : undefined);
  return defineTool({
    name: toolName(prefix, rename?.[name] ?? name),
    description: descriptionOf(source, listed),
    input: foreignSchema(listed.inputSchema as JsonObject),
    idempotent: isIdempotent,
    execution: {
      timeoutMs,
      maxAttempts: isIdempotent ? 3 : 1,
      retryOn: "retryable",
      ...(idleTimeoutMs !== undefined && { idleTimeoutMs }),
    },
    ...(preset?.[name] && { preset: preset[name] }),
    ...(action && { permission: action }),
    ...(deferred !== undefined && { deferred }),
    execute: async (input: JsonObject, { signal, emit, resumed, traceparent }) => {
      let reports = 0;
      let emittedAt = 0;
      const pauseMs = Math.min(MAX_PAUSE_MS, (idleTimeoutMs ?? Number.POSITIVE_INFINITY) / 4);
      const onProgress = (text: string): void => {
        if (++reports > MAX_PROGRESS && performance.now() - emittedAt < pauseMs) return;
        emittedAt = performance.now();
        emit(withoutSecrets(text, options).slice(0, MAX_PROGRESS_TEXT).toWellFormed());
      };
      const how = { signal, timeoutMs, isIdempotent, onProgress, traceparent };
      try {
        const outcome = await withSignIn(connection, resumed, (before) =>
          runRounds(connection, listed, input, how, before),
        );
        if ("suspended" in outcome) return outcome;
        const { result } = outcome;
        checkShape(result);
        await setImmediate(); // reading a large message took long, and so does each of the next steps
        const tooLarge = checkSize(result, maxResultBytes);
        if (tooLarge) return tooLarge;
        await setImmediate();
        await warnOfMismatch(source, listed, result.structuredContent);
        return toOutcome(result, (text) => withoutSecrets(text, options));
      } catch (error) {
        const failure = safeError(callError(server, error, how), options);
        const isFinal = AgentError.is(failure) && failure.code === "tool/failed" && !failure.isRetryable;
        if (!isFinal || failure === error) throw failure;
        return { output: [{ type: "text", text: `Error: ${failure.message}` }], state: "error" };
      }
    },
  });
}

/** The codes of errors after which it is certain that no request was sent: there was no connection. */
const UNSENT: ReadonlySet<unknown> = new Set([
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"],
  ...["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
  ...["CERT_HAS_EXPIRED", "ERR_TLS_CERT_ALTNAME_INVALID", "ERR_SSL_WRONG_VERSION_NUMBER"],
]);
const MAX_CAUSES = 8;

/** True if nothing of a request can have reached its server. */
function isUnsent(error: unknown, depth = 0): boolean {
  if (!isObject(error) || depth > MAX_CAUSES) return false;
  const { errors, code, cause } = error as { errors?: unknown; code?: unknown; cause?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return errors.every((each) => isUnsent(each, depth + 1));
  return UNSENT.has(code) || isUnsent(cause, depth + 1);
}

/** True for the answer of a server that has refused the request, or failed with it by itself. It is an error of the protocol, or a status
 *  below 500 that does not mean that the server gave up waiting. */
function isRefusal(error: unknown): boolean {
  if (isUnauthorized(error)) return true;
  const { code, data } = (error ?? {}) as { readonly code?: unknown; readonly data?: unknown };
  if (typeof code === "number") return code !== CUT_OFF && code !== MALFORMED;
  const status: unknown = isObject(data) ? data["status"] : undefined;
  return typeof status === "number" && status >= 300 && status < 500 && status !== 408;
}

const isMalformed = (error: unknown): boolean => {
  const code: unknown = (error as { readonly code?: unknown } | undefined)?.code;
  return code === MALFORMED || code === "INVALID_RESULT";
};

/** Returns the error of a call that was thrown: whether it may have taken effect, and whether it may be repeated. What the server has not
 *  answered has only failed if it certainly did not reach the server. */
function callError(server: string, error: unknown, { signal, isIdempotent }: CallWith): unknown {
  if (signal.aborted || AgentError.is(error)) return error;
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  const message = `MCP tool error: ${messageOf(error)}`;
  if (isUnsent(error))
    return new AgentError("tool/failed", `${message} (the server '${server}' is not there)`, {
      cause: error,
      isRetryable: true,
    });
  if (code === "REQUEST_TIMEOUT")
    return new AgentError("tool/timeout", message, { cause: error, isRetryable: isIdempotent });
  if (isRefusal(error)) return new AgentError("tool/failed", message, { cause: error });
  if (isIdempotent)
    return new AgentError("tool/failed", message, { cause: error, isRetryable: !isMalformed(error) });
  const how = isMalformed(error)
    ? "did not answer in the form of the protocol"
    : "was lost while the call ran";
  const unknown = `${message}. The server '${server}' ${how}: it may have taken effect.`;
  return new AgentError("tool/outcome-unknown", unknown, { cause: error });
}
