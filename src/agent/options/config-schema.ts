import * as s from "../../core/base/option-schema.ts";
import { isObject } from "../../core/base/json.ts";
import { hookSchema } from "../../core/hook/hook-schema.ts";
import { executionSchema } from "../../core/model/execution-schema.ts";
import { generateSchema, modelSchema } from "../../core/model/generate-schema.ts";
import { isRule } from "../../core/tool/rules/rule.ts";
import { storeSchema } from "../../store/store-schema.ts";
import { slotSchema } from "../../core/tool/slot.ts";
import { toolSchema } from "../../core/tool/tool-schema.ts";
import { limitShape } from "../../../machines/agent/limits-schema.ts";
import type { CompactionOptions, Budget } from "../types.ts";
import { handoffsSchema, personasSchema, permissionsSchema } from "./persona-options.ts";
import type { AnyAgentConfig } from "./agent-config.ts";
import type { ModelOptions, SessionOptions, ToolOptions, TurnOptions } from "./config-groups.ts";

type Config = AnyAgentConfig;

const isInspector = (each: unknown): boolean =>
  typeof each === "function" || typeof each === "string" || isObject(each);

const orFalse = <T>(schema: s.OptionSchema<T>, what: string): s.OptionSchema<false | T> =>
  s.either(s.exactly(false), schema, `false, or ${what}`);

/** The schema of {@link Budget}. */
export const budgetSchema = s.lazily(() =>
  s.options<Budget>(
    { ...limitShape(), onExceeded: s.optional(s.oneOf("suspend", "stop")) },
    { of: "limits" },
  ),
);

/** The schema of {@link ModelOptions}. */
const modelOptionsSchema = s.lazily(() => {
  const price = s.options<NonNullable<ModelOptions["prices"]>[string]>({
    input: s.atLeast(0),
    output: s.atLeast(0),
    cachedInput: s.optional(s.atLeast(0)),
    cacheWrite: s.optional(s.atLeast(0)),
  });
  const contextWindow = s.options<NonNullable<ModelOptions["contextWindow"]>>({
    maxMessages: s.optional(s.integer(1)),
    maxTokens: s.optional(s.integer(1)),
  });
  return s.options<ModelOptions>(
    {
      fallbackModel: s.optional(modelSchema()),
      execution: s.optional(executionSchema()),
      structuredReminder: s.optional(s.oneOf("TOOL_CHOICE", "PROMPT")),
      contextWindow: s.optional(contextWindow),
      prices: s.optional(s.recordOf(price)),
    },
    { places: placesOfOptions },
  );
});

/** The schema of {@link ToolOptions}. */
const toolOptionsSchema = s.lazily(() => {
  const results = s.options<Exclude<NonNullable<ToolOptions["results"]>, false>>({
    maxTokens: s.optional(s.integer(1)),
    tools: s.optional(s.recordOf(s.integer(1))),
    exclude: s.optional(s.listOf(s.nonEmpty())),
    keepMedia: s.optional(s.integer(0)),
  });
  return s.options<ToolOptions>(
    {
      description: s.optional(s.nonEmpty()),
      search: s.optional(
        s.either(
          s.exactly(false),
          s.options<Exclude<NonNullable<ToolOptions["search"]>, false>>({
            maxTokens: s.optional(s.integer(0)),
            maxTools: s.optional(s.integer(0)),
          }),
          "false or { maxTokens, maxTools }",
        ),
      ),
      clientTools: s.optional(
        s.listOf(s.matching(/^[\w-]{1,64}$/u, 'the name of a tool: 1 to 64 letters, digits, "_" or "-"')),
      ),
      execution: s.optional(executionSchema()),
      results: s.optional(orFalse(results, "an object such as { maxTokens: 10_000 }")),
    },
    { places: placesOfOptions },
  );
});

/** The schema of {@link TurnOptions}. */
const turnOptionsSchema = s.lazily(() =>
  s.options<TurnOptions>(
    {
      maxGotos: s.optional(s.integer(0)),
      maxHandoffs: s.optional(s.integer(1)),
      handoffReset: s.optional(s.oneOf("never", "turn")),
      stopWhen: s.optional(s.func()),
      onTextWhilePending: s.optional(s.oneOf("refuse", "cancelPending", "queue")),
      interruptGraceMs: s.optional(s.integer(0)),
      interruptReply: s.optional(s.either(s.nonEmpty(), s.exactly(false), "a text, or false")),
      recoverOrphans: s.optional(s.boolean()),
    },
    { places: placesOfOptions },
  ),
);

/** The schema of {@link SessionOptions}. */
const sessionOptionsSchema = s.lazily(() =>
  s.options<SessionOptions>(
    {
      snapshot: s.optional(s.object()),
      slots: s.optional(s.listOf(slotSchema())),
      durability: s.optional(s.oneOf("step", "turn")),
      leaseMs: s.optional(s.integer(1)),
      idleMs: s.optional(s.integer(1)),
      redact: s.optional(s.func()),
      onChangedAgent: s.optional(s.oneOf("adopt", "pin", "hold")),
      now: s.optional(s.func()),
      newId: s.optional(s.func()),
    },
    { places: placesOfOptions },
  ),
);

const groups = () => ({
  modelOptions: modelOptionsSchema(),
  toolOptions: toolOptionsSchema(),
  turnOptions: turnOptionsSchema(),
  sessionOptions: sessionOptionsSchema(),
});

/** The full names of all options, by the last part of their name and by their former names. */
function placesOfOptions(): { readonly [name: string]: string } {
  const inGroups = Object.entries(groups()).flatMap(([group, { shape }]) =>
    Object.keys(shape).map((name) => [name, `${group}.${name}`]),
  );
  const top = Object.keys(configSchema().shape).map((name) => [name, name]);
  return {
    ...Object.fromEntries([...inGroups, ...top]),
    modelExecution: "modelOptions.execution",
    toolExecution: "toolOptions.execution",
    toolSearch: "toolOptions.search",
    models: "compaction.model",
  };
}

/** The schema of {@link AgentConfig}. */
export const configSchema = s.lazily(() => {
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
    clear: s.optional(orFalse(clear, "an object such as { protectTokens: 40_000 }")),
    summarise: s.optional(s.oneOf("fit", "threshold", "never")),
    instructions: s.optional(s.string()),
    maxSummaryTokens: s.optional(s.integer(1)),
    maxFailures: s.optional(s.integer(1)),
    model: s.optional(modelSchema()),
  });
  const inspectors = '"auto", an address, an observer, or an array of observers';
  return s.options<Config>(
    {
      name: s.nonEmpty(),
      sysPrompt: s.optional(s.string()),
      model: modelSchema(),
      tools: s.optional(s.listOf(toolSchema())),
      toolkit: s.optional(s.object()),
      hooks: s.optional(s.listOf(hookSchema())),
      messages: s.optional(s.list()),
      compaction: s.optional(orFalse(compaction, "an object such as { contextTokens: 128_000 }")),
      maxIters: s.optional(s.integer(1)),
      parallelToolCalls: s.optional(
        s.either(s.boolean(), s.integer(1), "true, false or an integer of at least 1"),
      ),
      generateOptions: s.optional(generateSchema()),
      permissions: s.optional(permissionsSchema()),
      rules: s.optional(s.listOf(s.value(isRule, "a rule, such as before() of agentchart/rules makes one"))),
      personas: s.optional(personasSchema()),
      handoffs: s.optional(handoffsSchema()),
      budget: s.optional(budgetSchema()),
      context: s.anything(),
      store: s.optional(storeSchema()),
      sessionId: s.optional(s.nonEmpty()),
      meta: s.optional(s.object()),
      inspect: s.optional(s.value((given) => [given].flat().every(isInspector), inspectors)),
      modelOptions: s.optional(modelOptionsSchema()),
      toolOptions: s.optional(toolOptionsSchema()),
      turnOptions: s.optional(turnOptionsSchema()),
      sessionOptions: s.optional(sessionOptionsSchema()),
      otel: s.optional(s.having("observe", "an observer, such as otelObserver() of agentchart/otel")),
    },
    { what: "a configuration, such as { name, model }", places: placesOfOptions },
  );
});
