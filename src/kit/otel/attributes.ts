import type { Attributes, Span } from "@opentelemetry/api";
import type { ObservedModelCall } from "../../agent/telemetry.ts";
import { perObject } from "../../core/base/json.ts";
import type { Usage } from "../../core/message/types.ts";
import type { ChatModel } from "../../core/model/port.ts";
import type { AnyTool } from "../../core/tool/types.ts";
import type { ToolInput } from "../../../machines/agent/services.ts";
import { GEN_AI, OPERATION, OTHER, OWN } from "./names.ts";

/** Ids that models make up are left out unless they look like ids. */
const ID = /^[\w.:-]{1,128}$/;

/** The host and port of a model's server. */
function serverOf({ endpoint }: ChatModel): Attributes {
  if (endpoint === undefined || !URL.canParse(endpoint)) return {};
  const { hostname, port, protocol } = new URL(endpoint);
  const byDefault = protocol === "https:" ? 443 : 80;
  return { [GEN_AI.serverAddress]: hostname, [GEN_AI.serverPort]: port === "" ? byDefault : Number(port) };
}

/** The model and its provider. */
export function modelAttributes({ name, provider = OTHER }: ChatModel): Attributes {
  return { [GEN_AI.requestModel]: name, [GEN_AI.provider]: provider };
}

// Made once for each model and each tool: most of what a span costs are its attributes.
const chats = new WeakMap<ChatModel, Attributes>();

/** Returns the attributes of a call of a model that a sampler is told. */
export function chatAttributes(model: ChatModel): Attributes {
  const known = chats.get(model);
  if (known?.[GEN_AI.requestModel] === model.name) return known;
  const made = { [GEN_AI.operation]: OPERATION.chat, ...modelAttributes(model), ...serverOf(model) };
  chats.set(model, Object.freeze(made));
  return made;
}

const OPTIONS = [
  ["temperature", GEN_AI.temperature],
  ["topP", GEN_AI.topP],
  ["topK", GEN_AI.topK],
  ["maxTokens", GEN_AI.maxTokens],
  ["seed", GEN_AI.seed],
  ["frequencyPenalty", GEN_AI.frequencyPenalty],
  ["presencePenalty", GEN_AI.presencePenalty],
] as const;

/** Says what is asked of a model. */
export function setRequest(span: Span, { phase, attempt, request }: ObservedModelCall): void {
  const { options, output } = request;
  span.setAttribute(OWN.phase, phase);
  span.setAttribute(OWN.attempt, attempt);
  span.setAttribute(GEN_AI.outputType, output ? "json" : "text");
  for (const [key, name] of OPTIONS) {
    const value = options[key];
    if (value !== undefined) span.setAttribute(name, value);
  }
  if (options.stop) span.setAttribute(GEN_AI.stop, [...options.stop]);
}

const COUNTS = [
  ["inputTokens", GEN_AI.inputTokens],
  ["outputTokens", GEN_AI.outputTokens],
  ["cachedInputTokens", GEN_AI.cacheRead],
  ["cacheWriteTokens", GEN_AI.cacheWrite],
  ["reasoningTokens", GEN_AI.reasoningTokens],
] as const;

/** Counts of tokens, by the names of {@link Usage}. */
export type TokenCounts = { -readonly [Key in (typeof COUNTS)[number][0]]?: number };

/** Adds the tokens of one attempt. */
export function addTokens(sums: TokenCounts, usage: Usage): void {
  for (const [key] of COUNTS) {
    const count = usage[key];
    if (count !== undefined) sums[key] = (sums[key] ?? 0) + count;
  }
}

/** Says how many tokens were used; absent counts are not named. */
export function setTokens(span: Span, counts: TokenCounts | Usage): void {
  for (const [key, name] of COUNTS) {
    const count = counts[key];
    if (count !== undefined) span.setAttribute(name, count);
  }
}

const UNKNOWN_TOOL: Attributes = Object.freeze({ [GEN_AI.operation]: OPERATION.tool });

/** Returns the attributes of a call of a tool that a sampler is told. The name of a tool that the agent does not have is text of the model. */
export function toolAttributes(tool: AnyTool | undefined): Attributes {
  return tool ? namedTool(tool) : UNKNOWN_TOOL;
}

const namedTool = perObject(({ name }: AnyTool): Attributes =>
  Object.freeze({ ...UNKNOWN_TOOL, [GEN_AI.tool]: name }),
);

/** Says which call a tool runs for. */
export function setCall(
  span: Span,
  { call, attempt, argsHash, account }: ToolInput,
  tool: AnyTool | undefined,
  sessionId: string,
): void {
  span.setAttribute(GEN_AI.toolType, "function");
  if (tool) span.setAttribute(GEN_AI.toolDescription, tool.description);
  if (ID.test(call.id)) {
    span.setAttribute(GEN_AI.callId, call.id);
    span.setAttribute(OWN.idempotencyKey, `${sessionId}/${call.id}`);
  }
  span.setAttribute(OWN.attempt, attempt);
  span.setAttribute(OWN.permission, argsHash === undefined ? "allowed" : "approved");
  const hooks = account?.changed?.flatMap(({ by }) => ("hook" in by ? [by.hook] : [])) ?? [];
  if (hooks.length > 0) span.setAttribute(OWN.changedBy, [...new Set(hooks)]);
}
