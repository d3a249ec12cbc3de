import type { GenerateOptions, ChatModel, ToolSpec, ModelRequest } from "../../core/model/port.ts";
import type { Prompt } from "../../core/hook/types.ts";
import type { WantedOutput } from "../../../machines/agent/context.ts";
import { optionsWith, type PromptEdit } from "../../../machines/agent/prompt/edits.ts";
import { messagesBefore, type RequestParts } from "../../../machines/agent/prompt/request.ts";
import type { ModelInput } from "../../../machines/agent/services.ts";
import { modelNamed, windowOf } from "../options/config.ts";
import type { Host } from "./host.ts";
import type { AnyAgentConfig } from "../options/agent-config.ts";
import { perObject } from "../../core/base/json.ts";
import { redactSecrets } from "../../core/base/secrets.ts";
import {
  countContent,
  countMedia,
  countMessage,
  countTools,
  ofEach,
  piecesOf,
} from "../../core/model/request.ts";
import type { ModelCall } from "../../../machines/agent/model-call.ts";
import type { Block, Usage } from "../../core/message/types.ts";
import { wholeUsage } from "../../core/model/usage.ts";
import { sizeOfContent } from "../../core/message/transcript.ts";

/** Returns the model of a call. */
export function modelOf(
  { config, personas }: Host,
  { usesFallback, persona, overrides }: Pick<ModelInput, "usesFallback" | "persona" | "overrides">,
  phase: ModelInput["phase"] = "reasoning",
): ChatModel {
  const special = usesFallback ? config.modelOptions?.fallbackModel : undefined;
  const own = phase === "compaction" && config.compaction ? config.compaction.model : undefined;
  const named = overrides?.model === undefined ? undefined : modelNamed(config, overrides.model);
  return special ?? own ?? named ?? personas?.modelOf(persona) ?? config.model;
}

/** Returns how the model of a call gives the structured answer; undefined if this request asks for none. The fallback model, or the
 *  model of a restored session, may lack the capability to keep to a schema by itself. */
export function outputModeOf(
  host: Host,
  asked: Pick<ModelInput, "phase" | "wanted" | "usesFallback" | "persona" | "overrides">,
): WantedOutput["mode"] | undefined {
  const { phase, wanted } = asked;
  if (!wanted || phase !== "reasoning") return undefined;
  return modelOf(host, asked).capabilities?.structuredOutput ? wanted.mode : "tool";
}

/** Returns the tools of a request: those of the toolkit and of the client, the one that reads results, and the one for the structured answer. Tools that
 *  the model has loaded stand last, so that loading one only adds to the list. */
function toolsOf(
  host: Host,
  { phase, slots, view, persona, overrides, transcript }: AskedInput,
  mode: WantedOutput["mode"] | undefined,
): readonly ToolSpec[] {
  if (phase === "summary") return [];
  const { personas } = host;
  const offer = host.toolkit.offer(slots);
  const names = overrides?.tools;
  const left = <T extends { readonly name: string }>(tools: readonly T[]): readonly T[] =>
    names ? tools.filter(({ name }) => names.includes(name)) : tools;
  const forPersona = (specs: readonly ToolSpec[]): readonly ToolSpec[] =>
    personas ? personas.offerOf(persona, left(specs), () => transcript.slice()) : left(specs);
  const output = mode === "tool" ? host.output()?.tool : undefined;
  const more = [
    ...left(host.clientTools?.offered(slots) ?? []),
    ...(view?.reads ? [host.readResult] : []),
    ...(output ? [output] : []),
  ];
  if (more.length === 0) return forPersona(offer.all);
  const specs = more.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return [...forPersona(offer.always), ...specs, ...forPersona(offer.loaded)];
}

/** Returns how the model is reminded after an answer without the structured one; only then is the tool forced (S25). */
function reminderOf(
  { wanted, transcript }: AskedInput,
  mode: WantedOutput["mode"] | undefined,
): WantedOutput["mode"] | undefined {
  if (!mode || wanted?.reminders === 0) return undefined;
  return transcript.at(-1)?.role === "assistant" ? mode : undefined;
}

type AskedInput = Pick<
  ModelInput,
  "phase" | "transcript" | "view" | "system" | "persona" | "overrides" | "usesFallback" | "wanted" | "slots"
> &
  Partial<Pick<ModelInput, "edits" | "emptyRetries" | "compaction">>;

/** Returns what the request of a model call is made of beside the transcript. */
export function partsOf(host: Host, input: AskedInput): RequestParts {
  const { phase, view, system, edits = [], emptyRetries = 0, wanted } = input;
  const isSummary = phase === "compaction";
  // the request for a summary has the tools that the next request would have had
  const mode = outputModeOf(host, isSummary ? { ...input, phase: "reasoning" } : input);
  const reminder = isSummary ? undefined : reminderOf(input, mode);
  const foreign = host.personas?.foreignTo(input.persona);
  const isForced = reminder === "tool" && host.config.modelOptions?.structuredReminder !== "PROMPT";
  return {
    phase,
    view,
    results: host.results,
    system,
    options: optionsOf(host, input),
    tools: toolsOf(host, isSummary ? { ...input, phase: "reasoning" } : input, mode),
    edits: isSummary ? [] : edits,
    ...(foreign && { foreign }),
    ...(reminder && { reminder }),
    ...(isForced && { isForced }),
    ...(emptyRetries > 0 && !isSummary && { isEmpty: true }),
    ...(mode === "native" && !isSummary && { output: { name: "response", schema: wanted!.schema } }),
    ...(input.compaction && { compaction: compactionOf(host, input.compaction) }),
    ...(!isSummary && { sessionId: host.sessionId }),
  };
}

function compactionOf(
  host: Host,
  { to, isSeparate, instructions }: NonNullable<ModelInput["compaction"]>,
): NonNullable<RequestParts["compaction"]> {
  return { to, isSeparate, instruction: summaryTask(host.config, instructions) };
}

const NO_OPTIONS: GenerateOptions = {};

function optionsOf(
  { config }: Host,
  { phase, overrides }: Pick<ModelInput, "phase" | "overrides">,
): GenerateOptions {
  const { compaction } = config;
  const own = config.generateOptions ?? NO_OPTIONS;
  const options = overrides?.options ? optionsWith(own, overrides.options) : own;
  const most = phase === "compaction" && compaction ? compaction.maxSummaryTokens : undefined;
  return most === undefined ? options : { ...options, maxTokens: most };
}

/** Returns the prompt of a model call, as the first hook gets it. */
export function promptOf(host: Host, input: AskedInput): Prompt {
  const parts = partsOf(host, input);
  return {
    messages: messagesBefore(parts, input.transcript),
    system: parts.system,
    options: parts.options,
    tools: parts.tools.map(({ name }) => name),
    model: modelOf(host, input).name,
  };
}

/** Of which tools a session was told that a model is not offered them. Most sessions have none. */
const told = perObject((_: Host) => new Set<string>());

/** Says once of each tool that the model is not offered it, since its provider would refuse the request. */
export function tellOmitted(host: Host, { name, leftOut }: ChatModel, tools: readonly ToolSpec[]): void {
  const omitted = tools.length > 0 ? (leftOut?.(tools) ?? []) : [];
  if (omitted.length === 0) return;
  const known = told(host);
  for (const tool of omitted) {
    const key = JSON.stringify([name, tool.name]);
    if (known.has(key)) continue;
    known.add(key);
    host.emit({ type: "tool.omitted", tool: tool.name, model: name, reason: tool.reason });
  }
}

const TASK = `Another model will go on with this conversation from your summary alone. Write down all that it needs and nothing else. If there is a summary of what came before, update it: drop only what no longer holds. Keep names, ids, paths, numbers and error messages exactly as they are. Use these sections, and leave out those that would be empty:

## Goal
## Wishes and limits of the user (verbatim where they are short)
## Done
## Under way
## Blocked
## Decisions and rejected ways, with reasons
## Facts and data that are needed
## Next steps

Answer with the summary only, and call no tool.`;

/** Returns what a model is asked that sums up a conversation: the wishes of the configuration and of the caller are part of it. */
export function summaryTask({ compaction }: Pick<AnyAgentConfig, "compaction">, asked?: string): string {
  const general = compaction === false ? undefined : compaction?.instructions;
  return [TASK, ...[general, asked].filter((wish) => wish !== undefined)].join("\n\n");
}

/** Options are often the same object: then they are searched for secrets once. */
const publicOptions = perObject((options: GenerateOptions): GenerateOptions =>
  redactSecrets(options as never),
);

function publicEdit(edit: PromptEdit): PromptEdit {
  return edit.options ? { ...edit, options: publicOptions(edit.options) } : edit;
}

/** Returns a model call as it is recorded: without secrets. */
export function recordedCall(
  host: Host,
  input: ModelInput,
  { parts, model, messageId }: { parts: RequestParts; model: ChatModel; messageId: string },
): Omit<ModelCall, "number"> {
  const { turn, iteration, attempt, transcript, usesFallback, entered } = input;
  const window = windowOf(host.config, model);
  const { budget, modelOptions: { contextWindow } = {} } = host.config;
  return {
    ...parts,
    options: publicOptions(parts.options),
    edits: parts.edits.map(publicEdit),
    id: messageId,
    turn,
    iteration,
    attempt,
    length: transcript.length,
    model: model.name,
    ...(model.provider !== undefined && { provider: model.provider }),
    ...(usesFallback && { isFallback: true }),
    ...(model.wire && { wire: model.wire }),
    ...(window !== undefined && { window }),
    ...(contextWindow && { bound: contextWindow }),
    ...(budget && { budget }),
    // a persona that has taken over since has a prompt of its own
    entered: entered.some(({ system }) => system) && lastSystem(entered) !== parts.system ? [] : entered,
  };
}

const lastSystem = (entered: ModelInput["entered"]): string | undefined =>
  entered.findLast(({ system }) => system)?.system?.after;

const TOKENS = Symbol("tokens");
const MEDIA = Symbol("media");

function promptTokens(request: ModelRequest): number {
  const counts = ofEach(piecesOf(request), TOKENS, ({ messages }) =>
    messages.reduce((sum, message) => sum + countMessage(message), 0),
  );
  return counts.reduce((sum, count) => sum + count, countTools(request.tools));
}

/** A reported count is believed if it is at least this share of our own, less what our own may be wrong by in a short text. */
const [SHARE, SLACK] = [1 / 4, 1_000];

const isBelieved = (count: number, ours: number): boolean => count >= (ours - SLACK) * SHARE;

/** Returns the usage that the provider reported, without a prompt of 0 tokens, which no request has; undefined if the answer has 0
 *  tokens too. */
export function reportedUsage(usage: Usage | undefined): Usage | undefined {
  if (!usage) return undefined;
  const whole = wholeUsage(usage);
  const { inputTokens, ...rest } = whole;
  if (inputTokens !== 0) return whole;
  return rest.outputTokens === 0 ? undefined : rest;
}

/** Returns the possible error of our own count of the prompt: only its provider knows what media are. */
function mediaTokens(request: ModelRequest): number {
  const counts = ofEach(piecesOf(request), MEDIA, ({ messages }) =>
    messages.reduce((sum, { content }) => sum + countMedia(content), 0),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The tokens of the prompt, unless the provider reported so few that it cannot be: then our own count. `size` is a quick one, which
 *  says when it is worth to count. */
function believedInput(count: number, request: ModelRequest, size: number): number {
  if (isBelieved(count, size)) return count;
  const ours = promptTokens(request);
  return isBelieved(count, ours - mediaTokens(request)) ? count : ours;
}

function believedOutput(count: number, content: readonly Block[]): number {
  if (count === 0 && content.length === 0) return count;
  if (count > 0 && isBelieved(count, sizeOfContent(content))) return count;
  const ours = countContent(content);
  return count > 0 && isBelieved(count, ours - countMedia(content)) ? count : Math.max(ours, count);
}

/** Returns the reported usage, completed with counts of the local tokenizer. They stand for what the provider left out, and in the place of
 *  what is less than a quarter of them. `size` is our quick count of the prompt. */
export function completeUsage(
  reported: Usage | undefined,
  request: ModelRequest,
  content: readonly Block[],
  size = 0,
): Usage {
  const { cachedInputTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = reported ?? {};
  const { inputTokens: input, outputTokens: output } = reported ?? {};
  const inputTokens =
    input === undefined
      ? Math.max(promptTokens(request), cachedInputTokens + cacheWriteTokens)
      : believedInput(input, request, size);
  const outputTokens =
    output === undefined ? Math.max(countContent(content), reasoningTokens) : believedOutput(output, content);
  if (reported && inputTokens === input && outputTokens === output) return reported;
  return { ...reported, inputTokens, outputTokens, estimated: true };
}

/** Returns the cost of an answer, in the currency of `modelOptions.prices`; undefined if the model has no price. */
export function costOf({ config }: Host, model: string, usage: Usage): number | undefined {
  const { prices = {} } = config.modelOptions ?? {};
  const price = Object.hasOwn(prices, model) ? prices[model] : undefined;
  if (!price) return undefined;
  const {
    inputTokens = 0,
    outputTokens = 0,
    cachedInputTokens: cached = 0,
    cacheWriteTokens: written = 0,
  } = usage;
  const { cachedInput = price.input, cacheWrite = price.input } = price;
  const rest = Math.max(0, inputTokens - cached - written);
  const input = rest * price.input + cached * cachedInput + written * cacheWrite;
  return (input + outputTokens * price.output) / 1_000_000;
}
