import { setImmediate } from "node:timers/promises";
import type { Tool as Listed } from "@modelcontextprotocol/client";
import { AgentError } from "../../core/base/error.ts";
import type { Json, JsonObject } from "../../core/base/json.ts";
import { defineTool } from "../../core/tool/define.ts";
import { checkForeign, foreignSchema } from "../../core/tool/foreign-schema.ts";
import type { Tool, ToolOutcome } from "../../core/tool/types.ts";
import { callError } from "./call-error.ts";
import type { Connection } from "./connection.ts";
import { runRounds } from "./run-rounds.ts";
import { withSignIn } from "./with-sign-in.ts";
import { checkShape, toOutcome } from "./to-outcome.ts";
import { toolName } from "./tool-name.ts";
import type { McpEvent, McpOptions, McpToolOptions } from "./types.ts";

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
        if (++reports > MAX_PROGRESS && Date.now() - emittedAt < pauseMs) return;
        emittedAt = Date.now();
        emit(text.slice(0, MAX_PROGRESS_TEXT).toWellFormed());
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
        return toOutcome(result);
      } catch (error) {
        const failure = callError(server, error, how);
        const isFinal = AgentError.is(failure) && failure.code === "tool/failed" && !failure.isRetryable;
        if (!isFinal || failure === error) throw failure;
        return { output: [{ type: "text", text: `Error: ${failure.message}` }], state: "error" };
      }
    },
  });
}
