import { randomUUID } from "node:crypto";
import { AgentError } from "../base/error.ts";
import { misspeltIn, shown, strangerIn } from "../base/options.ts";
import { checkStore } from "../session/check-store.ts";
import type { Hook, HookPoint } from "../hook/types.ts";
import { CHUNK_POINTS, HOOK_POINTS } from "../hook/types.ts";
import { freeze } from "../base/freeze.ts";
import { isObject } from "../base/is-object.ts";
import { userMsg } from "../message/create.ts";
import { toolResultsOf, toolUsesOf } from "../message/query.ts";
import type { Msg } from "../message/types.ts";
import { checkMessages } from "../message/validate.ts";
import { EXECUTION_DEFAULTS, executionData, executionProblem, mergeExecution } from "../model/execution.ts";
import type { GenerateOptions } from "../model/port.ts";
import { countMessage } from "../model/tokens.ts";
import { PERMISSION_ACTIONS } from "../tool/define.ts";
import { checkTool, createToolkit, ownToolkit, type SessionToolkit } from "../tool/toolkit.ts";
import type { Settings } from "../../machines/agent/context.ts";
import { checkLimits } from "./check-told.ts";
import type { AgentConfig, Input } from "./types.ts";

function invalid(problem: string): AgentError {
  return new AgentError("config/invalid", `createAgent: ${problem}`);
}

function checkCount(name: string, value: number | undefined, least: number): void {
  if (value !== undefined && (!Number.isInteger(value) || value < least)) {
    throw invalid(`\`${name}\` is ${shown(value)}; expected a whole number of at least ${least}.`);
  }
}

/** Throws `config/invalid` that names the first thing that is wrong. */
export function checkConfig(config: AgentConfig<never>): void {
  if (typeof config !== "object" || config === null) throw invalid("the configuration must be an object.");
  checkNames(config);
  if (typeof config.name !== "string" || config.name === "")
    throw invalid("`name` must be a text of at least 1 character.");
  if (typeof config.model?.stream !== "function")
    throw invalid("`model` must be a ChatModel with a stream() method, as openaiModel({ model }) gives.");
  if (config.fallbackModel && typeof config.fallbackModel.stream !== "function")
    throw invalid("`fallbackModel` must be a ChatModel with a stream() method.");
  if (config.store !== undefined) checkStore(config.store, "createAgent");
  checkKinds(config);
  if (config.sessionId === "") throw invalid("`sessionId` must be a text of at least 1 character.");
  if (config.tools && config.toolkit) throw invalid("give `tools` or `toolkit`, not both.");
  if (config.store && config.snapshot) throw invalid("give `store` or `snapshot`, not both.");
  if (config.durability && !config.store) throw invalid("`durability` needs a `store`.");
  checkCount("maxIters", config.maxIters, 1);
  checkCount("maxGotos", config.maxGotos, 0);
  checkCount("interruptGraceMs", config.interruptGraceMs, 0);
  checkCount("leaseMs", config.leaseMs, 1);
  checkCount("contextWindow.maxMessages", config.contextWindow?.maxMessages, 1);
  checkCount("contextWindow.maxTokens", config.contextWindow?.maxTokens, 1);
  if (typeof config.parallelToolCalls === "number")
    checkCount("parallelToolCalls", config.parallelToolCalls, 1);
  checkRules(config.permissions);
  checkChoices(config);
  for (const name of ["modelExecution", "toolExecution"] as const) {
    const problem = executionProblem(config[name]);
    if (problem !== undefined) throw invalid(problem.replace("`", `\`${name}.`));
  }
  const { onExceeded: _, ...limits } = config.budget ?? {};
  checkLimits(limits, "createAgent: `budget`");
  if (limits.cost !== undefined) checkPrices(config);
  for (const hook of listOf("hooks", config.hooks)) checkHook(hook, "createAgent");
  for (const tool of listOf("tools", config.tools)) checkTool(tool, "createAgent");
  listOf("messages", config.messages);
}

/** Every setting, for the names of `checkNames`. */
const NAMES: { readonly [name in keyof Required<AgentConfig>]: true } = {
  name: true,
  sysPrompt: true,
  model: true,
  fallbackModel: true,
  tools: true,
  toolkit: true,
  hooks: true,
  messages: true,
  contextWindow: true,
  maxIters: true,
  maxGotos: true,
  parallelToolCalls: true,
  stopWhen: true,
  generateOptions: true,
  modelExecution: true,
  toolExecution: true,
  structuredReminder: true,
  permissions: true,
  budget: true,
  prices: true,
  onTextWhilePending: true,
  recoverOrphans: true,
  interruptGraceMs: true,
  context: true,
  store: true,
  sessionId: true,
  durability: true,
  leaseMs: true,
  redact: true,
  meta: true,
  snapshot: true,
  inspect: true,
  now: true,
  newId: true,
};

const GENERATE_OPTIONS: { readonly [name in keyof Required<GenerateOptions>]: true } = {
  temperature: true,
  topP: true,
  topK: true,
  maxTokens: true,
  frequencyPenalty: true,
  presencePenalty: true,
  seed: true,
  stop: true,
  reasoningEffort: true,
  thinkingBudget: true,
  toolChoice: true,
  extraBody: true,
  extraHeaders: true,
};

/** A model may know options of its own: only what is nearly one of these is refused. */
function checkGenerateOptions(options: object = {}): void {
  const problem = misspeltIn(options, Object.keys(GENERATE_OPTIONS), "option");
  if (problem !== undefined) throw invalid(problem.replace("`", "`generateOptions."));
}

/** A misspelt limit or permission would be none. */
function checkNames(config: AgentConfig<never>): void {
  const stranger = strangerIn(config, Object.keys(NAMES), "option");
  if (stranger !== undefined) throw invalid(stranger);
}

/** The same for the parts of one setting. */
function checkParts(setting: string, parts: object = {}, known: readonly string[]): void {
  const stranger = strangerIn(parts, known, "option");
  if (stranger !== undefined) throw invalid(stranger.replace("`", `\`${setting}.`));
}

const KINDS = {
  "a text": (value: unknown) => typeof value === "string",
  "a function": (value: unknown) => typeof value === "function",
  "an object": isObject,
  "true or false": (value: unknown) => typeof value === "boolean",
};

/** What each setting is, if it is given. */
const SETTINGS: { readonly [name in keyof AgentConfig]?: keyof typeof KINDS } = {
  sysPrompt: "a text",
  sessionId: "a text",
  now: "a function",
  newId: "a function",
  redact: "a function",
  stopWhen: "a function",
  generateOptions: "an object",
  meta: "an object",
  contextWindow: "an object",
  budget: "an object",
  prices: "an object",
  recoverOrphans: "true or false",
};

const isInspector = (each: unknown): boolean =>
  typeof each === "function" || typeof each === "string" || isObject(each);

function checkKinds(config: AgentConfig<never>): void {
  for (const [name, kind] of Object.entries(SETTINGS)) {
    const value: unknown = config[name as keyof AgentConfig];
    if (value !== undefined && !KINDS[kind](value)) throw invalid(`\`${name}\` must be ${kind}.`);
  }
  checkParts("contextWindow", config.contextWindow, ["maxMessages", "maxTokens"]);
  checkGenerateOptions(config.generateOptions);
  if (![config.inspect ?? []].flat().every(isInspector))
    throw invalid('`inspect` must be "auto", an address, an observer, or a list of observers.');
  const { parallelToolCalls: parallel = false, prices = {} } = config;
  if (typeof parallel !== "boolean" && typeof parallel !== "number")
    throw invalid("`parallelToolCalls` must be true, false or a number.");
  for (const [model, price] of Object.entries(prices)) checkPrice(model, price);
}

/** A price that is no number would make a cost that never reaches its limit. */
function checkPrice(model: string, price: NonNullable<AgentConfig["prices"]>[string]): void {
  const { input, output, cachedInput = 0 } = price ?? {};
  const isRight = [input, output, cachedInput].every((part) => Number.isFinite(part) && part! >= 0);
  if (!isRight)
    throw invalid(`the price of '${model}' needs \`input\` and \`output\`, numbers of at least 0.`);
}

/** Throws `config/invalid` for what is no hook; `from` is what the message begins with. */
export function checkHook(hook: Hook<never>, from: string): void {
  if (!isObject(hook as unknown) || typeof hook.name !== "string")
    throw new AgentError("config/invalid", `${from}: every hook needs a \`name\`.`);
  const { name, tools = [], priority = 0 } = hook;
  if (typeof priority !== "number" || Number.isNaN(priority))
    throw new AgentError("config/invalid", `${from}: the \`priority\` of hook '${name}' must be a number.`);
  const wrong = [...HOOK_POINTS, ...CHUNK_POINTS].find(
    (point) => hook[point] !== undefined && typeof hook[point] !== "function",
  );
  if (wrong !== undefined)
    throw new AgentError("config/invalid", `${from}: \`${wrong}\` of hook '${name}' must be a function.`);
  checkPoints(hook, from);
  if (!Array.isArray(tools))
    throw new AgentError("config/invalid", `${from}: the \`tools\` of hook '${name}' must be a list.`);
  for (const tool of tools) checkTool(tool, from);
}

/** A hook may have what it likes beside its points, but a function that is named nearly as one was meant to be one. */
function checkPoints(hook: Hook<never>, from: string): void {
  const functions = Object.entries(hook).filter(([, value]) => typeof value === "function");
  const problem = misspeltIn(Object.fromEntries(functions), [...HOOK_POINTS, ...CHUNK_POINTS], "point");
  if (problem !== undefined)
    throw new AgentError("config/invalid", `${from}: hook '${hook.name}': ${problem}`);
}

/** A cost that is unknown would never reach its limit. */
function checkPrices({ model, fallbackModel, prices = {} }: AgentConfig<never>): void {
  for (const asked of [model, ...(fallbackModel ? [fallbackModel] : [])]) {
    if (!Object.hasOwn(prices, asked.name))
      throw invalid(`\`budget.cost\` needs a price of the model '${asked.name}' in \`prices\`.`);
  }
}

function listOf<T>(name: string, list: readonly T[] | undefined): readonly T[] {
  if (list !== undefined && !Array.isArray(list)) throw invalid(`\`${name}\` must be a list.`);
  return list ?? [];
}

function checkRules(permissions: AgentConfig<never>["permissions"] = {}): void {
  if (!isObject(permissions as unknown))
    throw invalid("`permissions` must be an object such as { rules: […] }.");
  checkParts("permissions", permissions, ["rules", "otherwise", "expiresAfterMs"]);
  const { expiresAfterMs = 1 } = permissions;
  if (!(typeof expiresAfterMs === "number" && expiresAfterMs > 0))
    throw invalid(`\`permissions.expiresAfterMs\` is ${shown(expiresAfterMs)}; expected a number above 0.`);
  checkChoice("permissions.otherwise", permissions.otherwise, PERMISSION_ACTIONS);
  for (const rule of listOf("permissions.rules", permissions.rules)) {
    if (typeof rule?.tool !== "string")
      throw invalid("every rule of `permissions.rules` needs a `tool`: a name or *.");
    checkParts("permissions.rules", rule, ["tool", "action", "when", "reason"]);
    if (rule.when !== undefined && typeof rule.when !== "function")
      throw invalid(`\`when\` of the rule for '${rule.tool}' must be a function.`);
    checkChoice("permissions.rules.action", rule.action ?? null, PERMISSION_ACTIONS);
  }
}

/** What must be one of a few words. */
function checkChoices({ budget, ...config }: AgentConfig<never>): void {
  checkChoice("onTextWhilePending", config.onTextWhilePending, ["refuse", "cancelPending", "queue"]);
  checkChoice("structuredReminder", config.structuredReminder, ["TOOL_CHOICE", "PROMPT"]);
  checkChoice("durability", config.durability, ["step", "turn"]);
  checkChoice("budget.onExceeded", budget?.onExceeded, ["suspend", "stop"]);
}

function checkChoice(name: string, value: unknown, allowed: readonly string[]): void {
  if (value !== undefined && !allowed.includes(value as string))
    throw invalid(`\`${name}\` is ${JSON.stringify(value)}; expected one of ${allowed.join(", ")}.`);
}

/** What of a configuration the chart needs, as data. */
export function settingsOf(config: AgentConfig<never>): Settings {
  const { parallelToolCalls: parallel = false } = config;
  const { onExceeded = "suspend", ...budget } = config.budget ?? {};
  return {
    agent: config.name,
    sessionId: config.sessionId ?? (config.snapshot?.["sessionId"] as string | undefined) ?? randomUUID(),
    system: config.sysPrompt ?? "",
    maxIters: config.maxIters ?? 10,
    maxGotos: config.maxGotos ?? 3,
    maxEmptyRetries: 2,
    parallel: parallel === true ? 0 : parallel === false ? 1 : parallel,
    onTextWhilePending: config.onTextWhilePending ?? "refuse",
    recoverOrphans: config.recoverOrphans ?? true,
    interruptGraceMs: config.interruptGraceMs ?? 2_000,
    model: executionData(mergeExecution(config.modelExecution, EXECUTION_DEFAULTS.model)),
    hasFallback: config.fallbackModel !== undefined,
    isDurable: config.store !== undefined && config.durability !== "turn",
    budget,
    onBudget: onExceeded,
  };
}

/** The agent's own toolkit: a copy of the given one with the tools of its hooks. */
export function toolkitOf(config: AgentConfig<never>): SessionToolkit {
  const toolkit = ownToolkit(config.toolkit ?? createToolkit({ tools: config.tools ?? [] }));
  for (const tool of (config.hooks ?? []).flatMap((hook) => hook.tools ?? [])) toolkit.add(tool);
  return toolkit;
}

/** `stopWhen` as the hook it stands for; it sees the message after all others. */
export function stopHook(stopWhen: (message: Msg) => boolean): Hook<never> {
  return {
    name: "stopWhen",
    priority: Number.POSITIVE_INFINITY,
    postReasoning: ({ message }) => ({ stop: stopWhen(message) }),
  };
}

/** The points at least one hook listens to. */
export function pointsOf(hooks: readonly Hook<never>[]): readonly HookPoint[] {
  return HOOK_POINTS.filter((point) => hooks.some((hook) => hook[point]));
}

function inputProblem(message: Msg, mayAnswer: boolean): string | undefined {
  const results = toolResultsOf(message).length;
  if (message.role === "system") return "has the role system; use sysPrompt instead";
  if (toolUsesOf(message).length > 0) return "asks for tool calls, which nobody would answer";
  if (results > 0 && !mayAnswer) return "holds tool results; give them to call()";
  if (message.role === "tool" && results === 0) return "has the role tool and holds no tool result";
  return undefined;
}

/** The messages of an input, checked: only the model asks for calls, and only a `call` answers them. Throws
 *  `message/invalid`. */
export function messagesOf(input: Input, mayAnswer = false): readonly Msg[] {
  if (input === null || input === undefined) return [];
  if (typeof input === "string") return freeze([userMsg(input)]);
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

/** What a model sees of a long transcript: its end, at most `maxMessages` and about `maxTokens` of it, at least the last
 *  message, and never a result without its call. */
export function boundedView(
  messages: readonly Msg[],
  contextWindow: AgentConfig["contextWindow"] = {},
): readonly Msg[] {
  const { maxMessages = Number.POSITIVE_INFINITY, maxTokens } = contextWindow;
  let start = Math.max(0, messages.length - maxMessages);
  if (maxTokens !== undefined) {
    let tokens = 0;
    let first = messages.length;
    while (first > start && (tokens += countMessage(messages[first - 1]!)) <= maxTokens) first--;
    start = Math.min(first, messages.length - 1);
  }
  const isResult = (index: number): boolean => toolResultsOf(messages[index]!).length > 0;
  const asked = start;
  while (start < messages.length && start > 0 && isResult(start)) start++;
  if (start < messages.length) return start === 0 ? messages : messages.slice(start);
  start = asked;
  while (start > 0 && isResult(start)) start--;
  return messages.slice(start);
}
