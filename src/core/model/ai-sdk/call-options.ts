import type { JsonObject } from "../../base/json.ts";
import type { GenerateOptions, ModelRequest, ToolChoice } from "../port.ts";
import { familyOf } from "./own-data.ts";
import { dialectOfProvider } from "../hosts.ts";
import type { DialectName } from "../host-rules.ts";
import { wireChoice, wireToolsOf } from "../wire-tools.ts";
import { promptOf, withBridgesFor, withCacheMarks } from "./prompt.ts";
import type { AiSdkLanguageModel, ProviderMetadata, Version } from "./sdk-types.ts";

type Settings = {
  readonly providerOptions?: ProviderMetadata | undefined;
  readonly headers?: { readonly [name: string]: string } | undefined;
  readonly cache: "auto" | "off";
  readonly dialect?: DialectName | undefined;
};

/** Returns the dialect of a model: the one that is given, else what the name of its provider says. */
export function dialectOfModel(
  { provider, modelId }: Pick<AiSdkLanguageModel, "provider" | "modelId">,
  dialect?: DialectName,
): DialectName {
  return dialect ?? dialectOfProvider(provider, modelId);
}

const REASONING = ["none", "minimal", "low", "medium", "high", "xhigh"];

/** Returns the options of `doStream` for a request. */
export function callOptionsOf(
  request: ModelRequest,
  { provider, modelId, specificationVersion }: AiSdkLanguageModel,
  { headers, providerOptions, cache, ...settings }: Settings,
  signal: AbortSignal,
): object {
  const version = specificationVersion as Version;
  const { output, options: generate } = request;
  const dialect = dialectOfModel({ provider, modelId }, settings.dialect);
  const tools = wireToolsOf(request.tools, dialect);
  const choice = wireChoice(generate.toolChoice, tools, dialect);
  const prompt = promptOf(request.messages, { version, provider: familyOf(provider), dialect });
  const isMarked = cache === "auto" && /anthropic/.test(provider);
  return withoutAbsent({
    prompt: withBridgesFor(isMarked ? withCacheMarks(prompt, request.messages) : prompt, dialect),
    maxOutputTokens: generate.maxTokens,
    temperature: generate.temperature,
    topP: generate.topP,
    topK: generate.topK,
    frequencyPenalty: generate.frequencyPenalty,
    presencePenalty: generate.presencePenalty,
    seed: generate.seed,
    stopSequences: generate.stop,
    reasoning:
      version === "v4" && REASONING.includes(generate.reasoningEffort!)
        ? generate.reasoningEffort
        : undefined,
    tools: tools.length > 0 ? tools.map((tool) => ({ type: "function", ...tool })) : undefined,
    toolChoice: choice && choiceOf(choice),
    responseFormat: output && { type: "json", ...output },
    headers: { ...headers, ...generate.extraHeaders },
    providerOptions: merged(
      automatic(request, provider, version, cache),
      providerOptions,
      generate.providerOptions,
    ),
    abortSignal: signal,
  });
}

function choiceOf(choice: ToolChoice): object {
  return typeof choice === "string" ? { type: choice } : { type: "tool", toolName: choice.name };
}

/** Returns the options of the agent under the names that this provider has for them. */
function automatic(
  { sessionId, options }: ModelRequest,
  provider: string,
  version: Version,
  cache: Settings["cache"],
): ProviderMetadata {
  const family = familyOf(provider);
  const { reasoningEffort: effort } = options;
  const isEffort = effort !== undefined && (version !== "v4" || !REASONING.includes(effort));
  const isCached = cache === "auto" && sessionId !== undefined && family === "openai";
  const fields: JsonObject = {
    ...(isEffort && { reasoningEffort: effort }),
    ...(isCached && { promptCacheKey: sessionId }),
    ...thinkingOf(options, provider),
  };
  return Object.keys(fields).length === 0 ? {} : { [family]: fields };
}

function thinkingOf({ thinkingBudget: budget }: GenerateOptions, provider: string): JsonObject {
  if (budget === undefined) return {};
  if (/anthropic/.test(provider))
    return { thinking: budget > 0 ? { type: "enabled", budgetTokens: budget } : { type: "disabled" } };
  if (provider.startsWith("google")) return { thinkingConfig: { thinkingBudget: budget } };
  if (provider.startsWith("alibaba"))
    return { enableThinking: budget > 0, ...(budget > 0 && { thinkingBudget: budget }) };
  return {};
}

/** Options of one provider are merged field by field, the later ones win. */
function merged(...all: readonly (ProviderMetadata | undefined)[]): ProviderMetadata | undefined {
  const whole: { [provider: string]: JsonObject } = {};
  for (const options of all)
    for (const [name, fields] of Object.entries(options ?? {})) whole[name] = { ...whole[name], ...fields };
  return Object.keys(whole).length === 0 ? undefined : whole;
}

function withoutAbsent(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
