import { AgentError, configError } from "../../core/base/error.ts";
import { check, isRight } from "../../core/base/options.ts";
import { type AnyHook, type HookPoint, HOOK_POINTS } from "../../core/hook/types.ts";
import { freeze, isSame, perObject } from "../../core/base/json.ts";
import { newId, userMsg, toolResultsOf, toolUsesOf } from "../../core/message/msg.ts";
import type { Msg } from "../../core/message/types.ts";
import { checkMessages } from "../../core/message/validate.ts";
import { EXECUTION_DEFAULTS, executionData, mergeExecution } from "../../core/model/execution.ts";
import { RESERVED_NAMES } from "../../core/tool/reserved-names.ts";
import type { Beyond } from "../../core/tool/catalogue.ts";
import { ownToolkit, SessionToolkit } from "../../core/tool/toolkit.ts";
import { RECOVERY_TEXT } from "../../../machines/agent/updates/interruption.ts";
import { ALL_WHOLE, type ResultLimits } from "../../../machines/agent/prompt/view.ts";
import type { Settings, CompactionSettings } from "../../../machines/agent/settings.ts";
import { thisProcessName } from "../../store/leases.ts";
import { engineOf, ruleSettings, ruleProblem } from "./agent-rules.ts";
import { configSchema } from "./config-schema.ts";
import { addressesOf } from "../inspect.ts";
import { personaProblem } from "./persona-options.ts";
import { handoffSettings, personaTools } from "../personas.ts";
import type { AnyAgentConfig } from "./agent-config.ts";
import type { ToolOptions } from "./config-groups.ts";
import type { Input } from "../types.ts";
import type { ChatModel } from "../../core/model/port.ts";
import { sizeOfText, sizeOfTools } from "../../core/message/transcript.ts";
import { knownWindow } from "../../core/model/request.ts";

function invalid(problem: string): AgentError {
  return configError(`createAgent: ${problem}`);
}

/** Throws `config/invalid` that names the first thing that is wrong. */
export function checkConfig(config: AnyAgentConfig): void {
  if (!isRight(configSchema(), config)) check(configSchema(), config, "createAgent");
  if (config.tools && config.toolkit) throw invalid("give `tools` or `toolkit`, not both.");
  if (config.store && config.sessionOptions?.snapshot)
    throw invalid("give `store` or `sessionOptions.snapshot`, not both.");
  if (config.sessionOptions?.durability && !config.store)
    throw invalid("`sessionOptions.durability` needs a `store`.");
  const wrongPersona = (config.personas ?? config.handoffs) && personaProblem(config);
  if (wrongPersona !== undefined) throw invalid(wrongPersona);
  const [unpriced] = modelsOf(config).flatMap((model) => priceProblem(config, model) ?? []);
  if (unpriced !== undefined) throw invalid(unpriced);
  if (config.inspect !== undefined) addressesOf(config);
}

/** Returns what is wrong with a model of an agent whose cost is limited: a cost that is unknown would never reach its limit. */
function priceProblem(
  { budget, modelOptions }: Models,
  { name, capabilities }: ChatModel,
): string | undefined {
  const isKnown = capabilities?.usesTokens === false || Object.hasOwn(modelOptions?.prices ?? {}, name);
  return budget?.cost === undefined || isKnown
    ? undefined
    : `\`budget.cost\` needs a price of the model '${name}' in \`modelOptions.prices\`.`;
}

/** By default a result of more tokens is shown in part. */
const RESULT_TOKENS = 20_000;
/** By default so many results with images, sounds or films keep them in a compaction. */
const KEEP_MEDIA = 3;

/** One object for all agents, since what a limit makes of a message is cached by the limit. */
const RESULT_LIMITS: ResultLimits = Object.freeze({
  maxTokens: RESULT_TOKENS,
  tools: Object.freeze({}),
  exclude: Object.freeze([]) as readonly string[],
  keepMedia: KEEP_MEDIA,
});

function resultLimits(results: ToolOptions["results"]): ResultLimits {
  if (results === undefined) return RESULT_LIMITS;
  if (results === false) return { ...ALL_WHOLE };
  const { maxTokens = RESULT_TOKENS, tools = {}, exclude = [], keepMedia = KEEP_MEDIA } = results;
  return { maxTokens, tools, exclude, keepMedia };
}

/** The id of the session of an agent: a new one unless its configuration has one, or its snapshot. */
export function sessionIdOf({ sessionId, sessionOptions }: AnyAgentConfig): string {
  return sessionId ?? (sessionOptions?.snapshot?.["sessionId"] as string | undefined) ?? newId();
}

const MODEL_DEFAULTS = freeze(executionData(EXECUTION_DEFAULTS.model));
const sharedModel = sharing<Settings["model"]>();
const NO_BUDGET = Object.freeze<Settings["budget"]>({});
const sharedBudget = sharing<Settings["budget"]>();
const sharedCompaction = sharing<NonNullable<Settings["compaction"]>>();

function modelSettings({ modelOptions }: AnyAgentConfig): Settings["model"] {
  if (!modelOptions?.execution) return MODEL_DEFAULTS;
  return sharedModel(executionData(mergeExecution(modelOptions.execution, EXECUTION_DEFAULTS.model)));
}

function budgetOf({ budget }: AnyAgentConfig): Settings["budget"] {
  if (!budget) return NO_BUDGET;
  const { onExceeded: _, ...limits } = budget;
  return sharedBudget(limits);
}

/** Returns the part of a configuration that the chart needs, as data. */
export function settingsOf(config: AnyAgentConfig): Settings {
  const { parallelToolCalls: parallel = false } = config;
  const { modelOptions = {}, toolOptions = {}, turnOptions = {}, sessionOptions = {} } = config;
  const { interruptReply = RECOVERY_TEXT } = turnOptions;
  const compaction = compactionSettings(config);
  const rules = ruleSettings(config);
  return {
    agent: config.name,
    sessionId: sessionIdOf(config),
    ...(config.store && { process: thisProcessName() }),
    system: (config.sysPrompt ?? "").toWellFormed(),
    maxIters: config.maxIters ?? 10,
    maxGotos: turnOptions.maxGotos ?? 3,
    maxEmptyRetries: 2,
    parallel: parallel === true ? 0 : parallel === false ? 1 : parallel,
    onTextWhilePending: turnOptions.onTextWhilePending ?? "refuse",
    recoverOrphans: turnOptions.recoverOrphans ?? true,
    interruptGraceMs: turnOptions.interruptGraceMs ?? 2_000,
    interruptReply: interruptReply === false ? null : interruptReply,
    model: modelSettings(config),
    hasFallback: modelOptions.fallbackModel !== undefined,
    isDurable: config.store !== undefined && sessionOptions.durability !== "turn",
    budget: budgetOf(config),
    onBudget: config.budget?.onExceeded ?? "suspend",
    onChangedAgent: sessionOptions.onChangedAgent ?? "adopt",
    window: modelOptions.contextWindow ?? null,
    results: resultLimits(toolOptions.results),
    compaction: compaction && sharedCompaction(compaction),
    handoffs: config.personas ? handoffSettings(config) : null,
    ...(rules && { rules }),
  };
}

/** The most tools that most providers take in a request. */
const MOST_TOOLS = 128;
/** The tools that the agent may add to a request: to find tools, to read results, to give a structured answer. */
const ADDED_TOOLS = 3;

/** Beyond what tools are deferred: beyond what all models of the agent take. Of a model that does not say how many tools it takes, it is
 *  what most take, unless the agent says itself what is too much. */
function deferredBeyond(config: AnyAgentConfig): Beyond | undefined {
  const { search = {}, clientTools = [] } = config.toolOptions ?? {};
  if (search === false) return undefined;
  const { maxTokens = 10_000, maxTools } = search;
  const unknown = search.maxTokens === undefined ? MOST_TOOLS : Number.POSITIVE_INFINITY;
  const most = Math.min(...modelsOf(config).map((model) => model.maxTools ?? unknown));
  return { tokens: maxTokens, tools: maxTools ?? Math.max(1, most - ADDED_TOOLS - clientTools.length) };
}

/** The agent's own toolkit: a copy of the configured one with the tools of its hooks, and with all slots. Throws `config/invalid` for a permission rule that
 *  matches none of them. */
export function toolkitOf(config: AnyAgentConfig): SessionToolkit {
  const toolkit = config.toolkit ? ownToolkit(config.toolkit) : new SessionToolkit(false);
  for (const tool of config.tools ?? []) toolkit.add(tool);
  toolkit.deferBeyond(deferredBeyond(config));
  toolkit.addSlots(config.sessionOptions?.slots ?? []);
  if (config.personas) toolkit.addAll(personaTools(config));
  for (const hook of config.hooks ?? []) toolkit.addAll(hook.tools ?? [], hook.writes);
  toolkit.share();
  const { clientTools = [] } = config.toolOptions ?? {};
  const names = toolkit.names();
  const shadowed = clientTools.find((name) => names.includes(name) || RESERVED_NAMES.includes(name));
  if (shadowed !== undefined)
    throw invalid(
      `\`toolOptions.clientTools\` has '${shadowed}', which is a tool of the agent; a client cannot replace it.`,
    );
  const personas = Object.values(config.personas ?? {});
  for (const { permissions } of [config, ...personas]) {
    const problem = permissions?.rules && ruleProblem(permissions.rules, [...names, ...clientTools]);
    if (problem !== undefined) throw invalid(problem);
  }
  const wrong = engineOf(config)?.problemOf(config.rules!, toolkit.tools(), [...names, ...clientTools]);
  if (wrong !== undefined) throw invalid(wrong);
  return toolkit;
}

/** `turnOptions.stopWhen` as the hook it stands for; it sees the message after all others. */
export function stopHook(stopWhen: (message: Msg) => boolean): AnyHook {
  return {
    name: "stopWhen",
    priority: Number.POSITIVE_INFINITY,
    postReasoning: ({ message }) => ({ stop: stopWhen(message) }),
  };
}

/** The points at least one hook listens to. */
export function pointsOf(hooks: readonly AnyHook[]): readonly HookPoint[] {
  return HOOK_POINTS.filter((point) => hooks.some((hook) => hook[point]));
}

function inputProblem(message: Msg, mayAnswer: boolean): string | undefined {
  const results = toolResultsOf(message).length;
  if (message.role === "system") return "has the role system; use sysPrompt instead";
  if (toolUsesOf(message).length > 0) return "asks for tool calls, which no tool would answer";
  if (results > 0 && !mayAnswer) return "holds tool results; give them to call()";
  if (message.role === "tool" && results === 0) return "has the role tool and holds no tool result";
  return undefined;
}

/** The messages of an input, checked: only the model asks for calls, and only a `call` answers them. Throws
 *  `message/invalid`. */
export function messagesOf(input: Input, mayAnswer = false): readonly Msg[] {
  if (input === null || input === undefined) return [];
  if (typeof input === "string") return freeze([userMsg(input.toWellFormed())]);
  const list = checkMessages(Array.isArray(input) ? input : [input], "The input");
  for (const [index, message] of list.entries()) {
    const problem = inputProblem(message, mayAnswer);
    if (problem) throw new AgentError("message/invalid", `The input: message ${index} ${problem}.`);
  }
  return Object.freeze(list);
}

/** A message that is said into a turn. Throws `message/invalid` for none and for several. */
export function oneMessage(input: string | Msg, method: string): Msg {
  const [message, ...more] = messagesOf(input);
  if (message && more.length === 0) return message;
  throw new AgentError("message/invalid", `${method}: expected one message or a text.`);
}

/** Returns a function that freezes a JSON value and returns it, or the one that it was given last if both are deeply equal. The agents of a
 *  process are mostly made of one configuration, and may hold one object. */
export function sharing<T extends object>(): (value: T) => T {
  let last: T | undefined;
  return (value) => {
    if (last === undefined || !isSame(value, last)) last = freeze(value);
    return last;
  };
}

type Models = Pick<AnyAgentConfig, "model" | "modelOptions" | "compaction" | "personas" | "budget">;

/** Returns the models of a configuration, each once. */
export function modelsOf({
  model,
  modelOptions = {},
  compaction,
  personas = {},
}: Models): readonly ChatModel[] {
  const others = Object.values(personas).map((persona) => persona.model);
  const ofSummaries = compaction ? compaction.model : undefined;
  const all = [model, modelOptions.fallbackModel, ofSummaries, ...others];
  return [...new Set(all.filter((each) => each !== undefined))];
}

function bad(problem: string): AgentError {
  return new AgentError("session/bad-change", problem);
}

/** Returns the model with this name: one of the configuration, or another one of the server of `model`. Throws `session/bad-change` if
 *  there is none, and for a model without a price where the cost is limited. `made`: the server's, if it was made before. */
export function findModel(config: Models, name: string, made?: ChatModel): ChatModel {
  const known = modelsOf(config);
  const found = known.find((each) => each.name === name) ?? made ?? config.model.withName?.(name);
  if (!found) {
    const names = known.map((each) => `'${each.name}'`).join(", ");
    throw bad(`The agent has no model '${name}', and cannot make one: it has ${names}.`);
  }
  const unpriced = priceProblem(config, found);
  if (unpriced !== undefined) throw bad(unpriced);
  return found;
}

/** The models of a server that were made by name. */
const made = perObject((_: ChatModel) => new Map<string, ChatModel>());

/** As {@link findModel}, the same model each time; where it throws, a model that fails with that error. */
export function modelNamed(config: Models, name: string): ChatModel {
  const known = made(config.model);
  try {
    const model = findModel(config, name, known.get(name));
    if (!modelsOf(config).includes(model)) known.set(name, model);
    return model;
  } catch (error) {
    return {
      name,
      stream: () => {
        throw error;
      },
    };
  }
}

const RESERVE = 20_000;
const LEAST_RESERVE = 4_000;
const KEEP_RECENT = 20_000;
const PROTECT = 40_000;
const MINIMUM = 20_000;
/** The size that clearing aims at where the window is unknown. */
const TARGET = 60_000;

/** A bound of the configuration, else the default, which is at most a share of the window. */
function boundOf(given: number | undefined, normal: number, window: number | null, share: number): number {
  return given ?? (window === null ? normal : Math.min(normal, Math.floor(window * share)));
}

/** Returns the part that is reserved for the answer: a larger share of a small window, because answers are not shorter there. */
function reserveOf(given: number | undefined, window: number | null): number {
  return Math.max(boundOf(given, RESERVE, window, 1 / 8), boundOf(given, LEAST_RESERVE, window, 1 / 5));
}

/** Returns the context window of a model of the agent, in tokens; undefined if it is unknown. */
export function windowOf(
  { compaction }: Pick<AnyAgentConfig, "compaction">,
  { name, capabilities }: ChatModel,
): number | undefined {
  const { contextTokens } = compaction === false ? {} : (compaction ?? {});
  return contextTokens ?? capabilities?.contextTokens ?? knownWindow(name);
}

/** Throws `config/invalid` if the system prompt and the tools alone do not fit. */
function checkRoom({ sysPrompt = "", tools = [] }: AnyAgentConfig, window: number, reserve: number): void {
  const system = Math.round(sizeOfText(sysPrompt));
  const specs = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const all = sizeOfTools(specs);
  if (system + all + reserve < window) return;
  throw configError(
    `createAgent: the context window of ${window} tokens is too small: the system prompt has about ${system}, the tools have about ${all}, and ${reserve} are kept for the answer.`,
  );
}

/** Returns how prompts are made shorter, as the chart needs it; null if they are not. Throws `config/invalid`. */
export function compactionSettings(config: AnyAgentConfig): CompactionSettings | null {
  const { compaction } = config;
  if (compaction === false) return null;
  const { auto = true, summarise = "fit", maxFailures = 3, clear = {} } = compaction ?? {};
  const window = windowOf(config, config.model) ?? null;
  const reserve = reserveOf(compaction?.reserveTokens, window);
  if (window !== null) checkRoom(config, window, reserve);
  return {
    auto,
    window,
    reserve,
    target: compaction?.targetTokens ?? (window === null ? TARGET : Math.floor(window / 2)),
    keepRecent: boundOf(compaction?.keepRecentTokens, KEEP_RECENT, window, 1 / 4),
    clear:
      clear === false
        ? null
        : {
            protect: boundOf(clear.protectTokens, PROTECT, window, 1 / 16),
            minimum: boundOf(clear.minimumTokens, MINIMUM, window, 1 / 10),
          },
    summarise,
    maxFailures,
    isSeparate: compaction?.model !== undefined,
  };
}
