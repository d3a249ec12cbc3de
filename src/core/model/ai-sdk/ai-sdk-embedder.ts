import * as s from "../../base/option-schema.ts";
import { check } from "../../base/options.ts";
import type { JsonObject } from "../../base/json.ts";
import { throwIfAborted, unlessAborted } from "../abort.ts";
import { embedInBatches, type EmbedOptions, type Embedder } from "../embedder.ts";
import { secretsIn } from "../../base/secrets.ts";
import type { Endpoint } from "../endpoint.ts";
import { badResponse } from "../model-error.ts";
import { familyOf } from "./own-data.ts";
import { sdkError } from "./sdk-error.ts";
import { checkSdkModel, type ProviderMetadata } from "./sdk-types.ts";

/** The part of an embedding model of an AI SDK provider that is needed, of the specification v2, v3 or v4. Each has it:
 *  `createGoogleGenerativeAI({ apiKey }).embedding("gemini-embedding-001")`. */
export interface AiSdkEmbeddingModel {
  readonly specificationVersion: string;
  /** The provider and its API, such as `google.generative-ai`. */
  readonly provider: string;
  readonly modelId: string;
  readonly maxEmbeddingsPerCall: number | PromiseLike<number | undefined> | undefined;
  doEmbed(options: never): PromiseLike<{ readonly embeddings: readonly (readonly number[])[] }>;
}

/** Options of {@link aiSdkEmbedder}. */
export type AiSdkEmbedderOptions = {
  /** The length of the vectors. A model that can make several lengths is asked for this one by `providerOptions`, such as
   *  `{ google: { outputDimensionality: 768 } }`. */
  readonly dimensions: number;
  /** The name of {@link Embedder}; default provider, model and dimensions, such as `google/gemini-embedding-001/768`. */
  readonly name?: string | undefined;
  /** Options of the provider for every request, under the name of the provider. */
  readonly providerOptions?: ProviderMetadata | undefined;
  /** HTTP headers of every request. */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** The maximum number of texts of a request; default 100, or fewer if the provider's package says so. */
  readonly batchSize?: number | undefined;
};

const optionsSchema = s.lazily(() =>
  s.options<AiSdkEmbedderOptions>({
    dimensions: s.integer(1),
    name: s.optional(s.nonEmpty()),
    providerOptions: s.optional(s.recordOf(s.object<JsonObject>())),
    headers: s.optional(s.recordOf(s.string())),
    batchSize: s.optional(s.integer(1)),
  }),
);

/** The names that providers have for the kind of a text. */
const KINDS: { readonly [family: string]: (kind: EmbedOptions["kind"]) => JsonObject } = {
  google: (kind) => ({ taskType: kind === "query" ? "RETRIEVAL_QUERY" : "RETRIEVAL_DOCUMENT" }),
  cohere: (kind) => ({ inputType: kind === "query" ? "search_query" : "search_document" }),
  voyage: (kind) => ({ inputType: kind }),
};

/**
 * Returns an embedder of any AI SDK provider. The provider's package is the caller's; `agentchart` needs none of the AI SDK. Google,
 * Cohere and Voyage are told whether a text is a document or a question. Throws `config/invalid` for what is not an embedding model of the
 * specification v2, v3 or v4.
 *
 * @example
 * ```ts
 * import { aiSdkEmbedder, type AiSdkEmbeddingModel } from "agentchart/ai-sdk";
 *
 * // createMistral({ apiKey }).embedding("mistral-embed") of @ai-sdk/mistral is such a model.
 * const embedderOf = (model: AiSdkEmbeddingModel) => aiSdkEmbedder(model, { dimensions: 1_024 });
 * ```
 */
export function aiSdkEmbedder(model: AiSdkEmbeddingModel, options: AiSdkEmbedderOptions): Embedder {
  checkSdkModel(model, "an embedding model", {
    by: "aiSdkEmbedder",
    has: "doEmbed",
    example: 'mistral.embedding("mistral-embed")',
    pkg: "@ai-sdk/mistral",
  });
  check(optionsSchema(), options, "aiSdkEmbedder");
  const { provider, modelId } = model;
  const { dimensions, batchSize = 100, headers } = options;
  const family = familyOf(provider);
  const { name = `${family}/${modelId}/${dimensions}` } = options;
  const endpoint: Endpoint = { model: modelId, baseURL: provider, secrets: secretsIn(headers) };

  async function embedBatch(
    values: readonly string[],
    { signal, kind }: EmbedOptions,
  ): Promise<readonly (readonly number[])[]> {
    const ownOptions = { ...KINDS[family]?.(kind), ...options.providerOptions?.[family] };
    const providerOptions = {
      ...options.providerOptions,
      ...(Object.keys(ownOptions).length > 0 && { [family]: ownOptions }),
    };
    const call = { values, abortSignal: signal, ...(headers && { headers }), providerOptions };
    try {
      const answer = await unlessAborted(Promise.resolve(model.doEmbed(call as never)), signal);
      if (!Array.isArray(answer.embeddings)) throw badResponse("has no vectors.", endpoint);
      return answer.embeddings as readonly (readonly number[])[];
    } catch (thrown) {
      throwIfAborted(signal);
      throw sdkError(thrown, endpoint);
    }
  }

  return {
    name,
    dimensions,
    async embed(texts, embedOptions) {
      const most = (await model.maxEmbeddingsPerCall) ?? batchSize;
      const size = Math.max(1, Math.min(batchSize, most));
      const { signal } = embedOptions;
      return embedInBatches(texts, { size, dimensions, endpoint, signal }, (batch) =>
        embedBatch(batch, embedOptions),
      );
    },
  };
}
