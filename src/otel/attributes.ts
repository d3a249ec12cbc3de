import type { Attributes } from "@opentelemetry/api";
import type { ObservedModelCall } from "../agent/telemetry.ts";
import type { Usage } from "../message/types.ts";
import type { ChatModel } from "../model/port.ts";
import type { Tool } from "../tool/types.ts";
import type { ToolInput } from "../../machines/agent/services.ts";
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

const OPTIONS = [
  ["temperature", GEN_AI.temperature],
  ["topP", GEN_AI.topP],
  ["topK", GEN_AI.topK],
  ["maxTokens", GEN_AI.maxTokens],
  ["seed", GEN_AI.seed],
  ["frequencyPenalty", GEN_AI.frequencyPenalty],
  ["presencePenalty", GEN_AI.presencePenalty],
] as const;

/** What is asked of a model. */
export function chatAttributes({ phase, attempt, model, request }: ObservedModelCall): Attributes {
  const { options, output } = request;
  const attributes: Attributes = {
    [GEN_AI.operation]: OPERATION.chat,
    ...modelAttributes(model),
    ...serverOf(model),
    [OWN.phase]: phase,
    [OWN.attempt]: attempt,
    [GEN_AI.outputType]: output ? "json" : "text",
  };
  for (const [key, name] of OPTIONS) if (options[key] !== undefined) attributes[name] = options[key];
  if (options.stop) attributes[GEN_AI.stop] = [...options.stop];
  return attributes;
}

const COUNTS = [
  ["inputTokens", GEN_AI.inputTokens],
  ["outputTokens", GEN_AI.outputTokens],
  ["cachedInputTokens", GEN_AI.cacheRead],
  ["cacheWriteTokens", GEN_AI.cacheWrite],
  ["reasoningTokens", GEN_AI.reasoningTokens],
] as const;

/** Tokens; absent counts are not named. */
export function usageAttributes(usage: Usage): Attributes {
  const attributes: Attributes = {};
  for (const [key, name] of COUNTS) if (usage[key] !== undefined) attributes[name] = usage[key];
  return attributes;
}

/** The call of a tool. The name of a tool that the agent does not have is text of the model. */
export function toolAttributes(
  { call, attempt, argsHash }: ToolInput,
  tool: Tool<never> | undefined,
  sessionId: string,
): Attributes {
  const isId = ID.test(call.id);
  return {
    [GEN_AI.operation]: OPERATION.tool,
    [GEN_AI.toolType]: "function",
    ...(tool && { [GEN_AI.tool]: tool.name, [GEN_AI.toolDescription]: tool.description }),
    ...(isId && { [GEN_AI.callId]: call.id, [OWN.idempotencyKey]: `${sessionId}/${call.id}` }),
    [OWN.attempt]: attempt,
    [OWN.permission]: argsHash === undefined ? "allowed" : "approved",
  };
}
