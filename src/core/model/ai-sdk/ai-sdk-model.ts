import * as s from "../../base/option-schema.ts";
import { check } from "../../base/options.ts";
import type { JsonObject } from "../../base/json.ts";
import { throwIfAborted, unlessAborted } from "../abort.ts";
import { secretsIn } from "../../base/secrets.ts";
import type { Endpoint } from "../endpoint.ts";
import { cutOff } from "../model-error.ts";
import type { ChatModel, ModelRequest, StreamPart } from "../port.ts";
import { UnclearCalls } from "../unclear-calls.ts";
import type { DialectName } from "../host-rules.ts";
import { DIALECT_NAMES } from "../hosts.ts";
import { leftOutOf, maxToolsOf } from "../wire-tools.ts";
import { callOptionsOf, dialectOfModel } from "./call-options.ts";
import { familyOf } from "./own-data.ts";
import { createSdkPartReader } from "./part-reader.ts";
import { sdkError } from "./sdk-error.ts";
import { aiSdkWire } from "./wire-request.ts";
import { checkSdkModel, type AiSdkLanguageModel, type SdkPart } from "./sdk-types.ts";

/** Options of {@link aiSdkModel}. */
export type AiSdkModelOptions = {
  /** The name in events and in `modelOptions.prices`; default provider and model, such as `anthropic/claude-…`. */
  readonly name?: string | undefined;
  /** `{ structuredOutput: true }` if the model keeps to a JSON Schema by itself; default none. */
  readonly capabilities?: Omit<NonNullable<ChatModel["capabilities"]>, "usesTokens"> | undefined;
  /** Options of the provider for every request, under the name of the provider. Those of `generateOptions` take precedence. */
  readonly providerOptions?: { readonly [provider: string]: JsonObject } | undefined;
  /** HTTP headers of every request. */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** The use of the provider's cache. The default, `auto`, marks the stable part of a prompt for Anthropic's cache, and gives OpenAI the id
   *  of the session as its `promptCacheKey`; `off` does neither. */
  readonly cache?: "auto" | "off" | undefined;
  /** Whose rules of ids, of the order of messages, of tools and of schemas are kept. Default: those of the provider, which its name decides;
   *  `plain` for a provider that is not known. */
  readonly dialect?: DialectName | undefined;
};

const optionsSchema = s.lazily(() =>
  s.options<AiSdkModelOptions>({
    name: s.optional(s.nonEmpty()),
    capabilities: s.optional(
      s.options<NonNullable<AiSdkModelOptions["capabilities"]>>({
        structuredOutput: s.optional(s.boolean()),
        contextTokens: s.optional(s.integer(1)),
      }),
    ),
    providerOptions: s.optional(s.recordOf(s.object<JsonObject>())),
    headers: s.optional(s.recordOf(s.string())),
    cache: s.optional(s.oneOf("auto", "off")),
    dialect: s.optional(s.oneOf<DialectName>(...DIALECT_NAMES)),
  }),
);

/**
 * Returns a model of any AI SDK provider: Anthropic, Google, Amazon Bedrock and the others. The provider's package is the caller's;
 * `agentchart` needs none of the AI SDK.
 *
 * Signatures, encrypted reasoning and other data of the provider go back with the very part that they came on. Tools that the
 * provider runs are blocks of the type `provider`. Sources, warnings and the provider's metadata are metadata of the message. Nothing
 * is retried here. An answer that ends for no known reason has failed, and one whose calls are not certain is `model/bad-response`.
 * Throws `config/invalid` for what is not a language model of the specification v2, v3 or v4.
 *
 * @example
 * ```ts
 * import { createAgent } from "agentchart";
 * import { aiSdkModel, type AiSdkLanguageModel } from "agentchart/ai-sdk";
 *
 * // createAnthropic({ apiKey })("claude-…") of @ai-sdk/anthropic is such a model.
 * function makeAgent(claude: AiSdkLanguageModel) {
 *   return createAgent({ name: "assistant", model: aiSdkModel(claude) });
 * }
 * ```
 */
export function aiSdkModel(languageModel: AiSdkLanguageModel, options: AiSdkModelOptions = {}): ChatModel {
  checkSdkModel(languageModel, "a language model", {
    by: "aiSdkModel",
    has: "doStream",
    example: 'anthropic("claude-…")',
    pkg: "@ai-sdk/anthropic",
  });
  check(optionsSchema(), options, "aiSdkModel");
  const { provider, modelId } = languageModel;
  const { name = `${familyOf(provider)}/${modelId}`, capabilities, cache = "auto", ...settings } = options;
  const dialect = dialectOfModel(languageModel, options.dialect);

  async function* sdkParts(request: ModelRequest, signal: AbortSignal): AsyncGenerator<SdkPart> {
    const call = callOptionsOf(request, languageModel, { ...settings, cache }, signal);
    const started = Promise.resolve(languageModel.doStream(call as never));
    const { stream } = await unlessAborted(started, signal);
    const reader = (stream as ReadableStream<SdkPart>).getReader();
    try {
      for (;;) {
        const { value, done } = await unlessAborted(reader.read(), signal);
        if (done) return;
        yield value;
      }
    } finally {
      void reader.cancel().catch(() => undefined);
    }
  }

  async function* stream(
    request: ModelRequest,
    { signal }: { readonly signal: AbortSignal },
  ): AsyncGenerator<StreamPart> {
    const secrets = secretsIn(settings.headers, request.options.extraHeaders);
    const endpoint: Endpoint = { model: modelId, baseURL: provider, secrets };
    const reader = createSdkPartReader(familyOf(provider));
    let end: StreamPart | undefined;
    try {
      throwIfAborted(signal);
      for await (const sdkPart of sdkParts(request, signal)) {
        for (const part of reader.read(sdkPart)) {
          throwIfAborted(signal);
          if (part.type === "finish") end = part;
          else yield part;
        }
      }
      throwIfAborted(signal);
    } catch (thrown) {
      throwIfAborted(signal);
      if (!reader.hasFinished() || thrown instanceof UnclearCalls) throw sdkError(thrown, endpoint);
    }
    const failure = reader.failure();
    if (failure !== undefined) throw sdkError(failure, endpoint);
    if (!end || !reader.hasFinished()) throw cutOff(endpoint);
    try {
      reader.check();
    } catch (thrown) {
      throw sdkError(thrown, endpoint);
    }
    yield end;
  }

  return {
    name,
    provider: familyOf(provider),
    ...(capabilities && { capabilities }),
    wire: aiSdkWire(languageModel, { ...settings, cache, dialect }),
    maxTools: maxToolsOf(dialect),
    leftOut: (tools) => leftOutOf(tools, dialect),
    stream,
  };
}
