import * as s from "../base/option-schema.ts";
import { isObject } from "../base/is-object.ts";
import { hookSchema } from "../hook/hook-schema.ts";
import { executionSchema } from "../model/execution-schema.ts";
import { generateSchema, modelSchema } from "../model/generate-schema.ts";
import { storeSchema } from "../store/store-schema.ts";
import { slotSchema } from "../tool/slot.ts";
import { toolSchema } from "../tool/tool-schema.ts";
import { limitShape } from "../../machines/agent/limits-schema.ts";
import type { CompactionOptions } from "./compaction-options.ts";
import { handoffsSchema, personasSchema } from "./persona-options.ts";
import { permissionsSchema } from "./permissions-schema.ts";
import type { AgentConfig } from "./agent-config.ts";
import type { Budget } from "./types.ts";

type Config = AgentConfig<never>;
type Part<K extends keyof Config> = NonNullable<Config[K]>;

const isInspector = (each: unknown): boolean =>
  typeof each === "function" || typeof each === "string" || isObject(each);

/** The schema of {@link Budget}. */
export const budgetSchema = s.lazily(() =>
  s.options<Budget>(
    { ...limitShape(), onExceeded: s.optional(s.oneOf("suspend", "stop")) },
    { of: "limits" },
  ),
);

/** The schema of {@link AgentConfig}. */
export const configSchema = s.lazily(() => {
  const price = s.options<Part<"prices">[string]>({
    input: s.atLeast(0),
    output: s.atLeast(0),
    cachedInput: s.optional(s.atLeast(0)),
    cacheWrite: s.optional(s.atLeast(0)),
  });
  const contextWindow = s.options<Part<"contextWindow">>({
    maxMessages: s.optional(s.integer(1)),
    maxTokens: s.optional(s.integer(1)),
  });
  const clear = s.options<Exclude<NonNullable<CompactionOptions["clear"]>, false>>({
    protectTokens: s.optional(s.integer(0)),
    minimumTokens: s.optional(s.integer(0)),
  });
  const compaction = s.options<CompactionOptions>({
    auto: s.optional(s.boolean()),
    contextTokens: s.optional(s.integer(1)),
    reserveTokens: s.optional(s.integer(0)),
    keepRecentTokens: s.optional(s.integer(1)),
    targetTokens: s.optional(s.integer(1)),
    clear: s.optional(
      s.either(
        s.value<false>((given) => given === false, "false"),
        clear,
        "false, or an object such as { protectTokens: 40_000 }",
      ),
    ),
    summarise: s.optional(s.oneOf("fit", "threshold", "never")),
    instructions: s.optional(s.string()),
    maxSummaryTokens: s.optional(s.integer(1)),
    maxFailures: s.optional(s.integer(1)),
  });
  const models = s.options<Part<"models">>({ compaction: s.optional(modelSchema()) });
  const results = s.options<Exclude<Part<"results">, false>>({
    maxTokens: s.optional(s.integer(1)),
    tools: s.optional(s.recordOf(s.integer(1))),
    exclude: s.optional(s.listOf(s.nonEmpty())),
    keepMedia: s.optional(s.integer(0)),
  });
  const inspectors = '"auto", an address, an observer, or an array of observers';
  return s.options<Config>(
    {
      name: s.nonEmpty(),
      sysPrompt: s.optional(s.string()),
      model: modelSchema(),
      fallbackModel: s.optional(modelSchema()),
      tools: s.optional(s.listOf(toolSchema())),
      toolkit: s.optional(s.object()),
      toolSearch: s.optional(
        s.either(
          s.exactly(false),
          s.options<{ readonly maxTokens?: number; readonly maxTools?: number }>({
            maxTokens: s.optional(s.integer(0)),
            maxTools: s.optional(s.integer(0)),
          }),
          "false or { maxTokens, maxTools }",
        ),
      ),
      clientTools: s.optional(
        s.listOf(s.matching(/^[\w-]{1,64}$/u, 'the name of a tool: 1 to 64 letters, digits, "_" or "-"')),
      ),
      hooks: s.optional(s.listOf(hookSchema())),
      slots: s.optional(s.listOf(slotSchema())),
      messages: s.optional(s.list()),
      contextWindow: s.optional(contextWindow),
      compaction: s.optional(
        s.either(
          s.value<false>((given) => given === false, "false"),
          compaction,
          "false, or an object such as { contextTokens: 128_000 }",
        ),
      ),
      models: s.optional(models),
      results: s.optional(
        s.either(
          s.value<false>((given) => given === false, "false"),
          results,
          "false, or an object such as { maxTokens: 10_000 }",
        ),
      ),
      maxIters: s.optional(s.integer(1)),
      maxGotos: s.optional(s.integer(0)),
      parallelToolCalls: s.optional(
        s.either(s.boolean(), s.integer(1), "true, false or an integer of at least 1"),
      ),
      stopWhen: s.optional(s.func()),
      generateOptions: s.optional(generateSchema()),
      modelExecution: s.optional(executionSchema()),
      toolExecution: s.optional(executionSchema()),
      structuredReminder: s.optional(s.oneOf("TOOL_CHOICE", "PROMPT")),
      permissions: s.optional(permissionsSchema()),
      personas: s.optional(personasSchema()),
      handoffs: s.optional(handoffsSchema()),
      maxHandoffs: s.optional(s.integer(1)),
      handoffReset: s.optional(s.oneOf("never", "turn")),
      budget: s.optional(budgetSchema()),
      prices: s.optional(s.recordOf(price)),
      onTextWhilePending: s.optional(s.oneOf("refuse", "cancelPending", "queue")),
      recoverOrphans: s.optional(s.boolean()),
      onChangedAgent: s.optional(s.oneOf("adopt", "pin", "hold")),
      interruptGraceMs: s.optional(s.integer(0)),
      interruptReply: s.optional(
        s.either(
          s.nonEmpty(),
          s.value<false>((given) => given === false, "false"),
          "a text, or false",
        ),
      ),
      context: s.anything(),
      store: s.optional(storeSchema()),
      sessionId: s.optional(s.nonEmpty()),
      durability: s.optional(s.oneOf("step", "turn")),
      leaseMs: s.optional(s.integer(1)),
      idleMs: s.optional(s.integer(1)),
      redact: s.optional(s.func()),
      meta: s.optional(s.object()),
      snapshot: s.optional(s.object()),
      inspect: s.optional(s.value((given) => [given].flat().every(isInspector), inspectors)),
      otel: s.optional(s.having("observe", "an observer, such as otelObserver() of agentchart/otel")),
      now: s.optional(s.func()),
      newId: s.optional(s.func()),
    },
    { what: "a configuration, such as { name, model }" },
  );
});
