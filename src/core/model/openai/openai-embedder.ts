import { configError } from "../../base/error.ts";
import { isObject, parsedJson } from "../../base/json.ts";
import * as s from "../../base/option-schema.ts";
import { check } from "../../base/options.ts";
import { throwIfAborted, unlessAborted } from "../abort.ts";
import { embedInBatches, type Embedder } from "../embedder.ts";
import { secretsIn } from "../../base/secrets.ts";
import type { Endpoint } from "../endpoint.ts";
import { badResponse, toModelError } from "../model-error.ts";
import { withKey } from "./api-key.ts";
import type { CallOptions } from "./client.ts";
import { OPENAI_BASE_URL } from "./dialect.ts";
import { fetchTransport } from "./fetch-transport.ts";
import { errorOf, strayErrorOf } from "./stream-error.ts";
import { urlOfServer } from "./to-chat-request.ts";
import { WireError } from "../wire-error.ts";

/** The part of an `openai` client that is needed to embed. */
export interface EmbeddingsClient {
  readonly baseURL?: string | undefined;
  readonly embeddings: { create(body: never, options?: never): PromiseLike<unknown> };
}

/** Options of {@link openaiEmbedder}. Nothing is read from the environment. */
export type OpenAIEmbedderOptions = {
  /** The model's name, as the server knows it. */
  readonly model: string;
  /** The length of the vectors. It may be left out for OpenAI's models, which have 1,536 or 3,072; others are asked for this many only
   *  if `sendDimensions` is true. */
  readonly dimensions?: number | undefined;
  /** True asks the server for vectors of `dimensions` numbers; default: true for OpenAI's `text-embedding-3` models. */
  readonly sendDimensions?: boolean | undefined;
  /** Leave it out for servers that need none, such as Ollama. An empty one is refused. */
  readonly apiKey?: string | undefined;
  /** The URL before `/embeddings`; default OpenAI's. */
  readonly baseURL?: string | undefined;
  /** A client of the `openai` package; `apiKey`, `baseURL` and `fetch` are then those of the client. */
  readonly client?: EmbeddingsClient | undefined;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** The name of {@link Embedder}; default `model`, and the dimensions if they are given. */
  readonly name?: string | undefined;
  /** The maximum number of texts of a request; default 100. DashScope takes 10. */
  readonly batchSize?: number | undefined;
};

const optionsSchema = s.lazily(() =>
  s.options<OpenAIEmbedderOptions>(
    {
      model: s.nonEmpty("the name of a model, as the server knows it"),
      dimensions: s.optional(s.integer(1)),
      sendDimensions: s.optional(s.boolean()),
      apiKey: s.optional(s.secret()),
      baseURL: s.optional(urlOfServer()),
      client: s.optional(s.object("a client of the package openai")),
      fetch: s.optional(s.func()),
      name: s.optional(s.nonEmpty()),
      batchSize: s.optional(s.integer(1)),
    },
    { what: "options, such as { model, apiKey }" },
  ),
);

const KNOWN_DIMENSIONS: { readonly [model: string]: number } = {
  "text-embedding-3-small": 1_536,
  "text-embedding-3-large": 3_072,
  "text-embedding-ada-002": 1_536,
};

type Answer = { readonly data: readonly { readonly index: number; readonly embedding: readonly number[] }[] };
type Create = (body: object, options: CallOptions) => PromiseLike<unknown>;

/**
 * Returns an embedder behind OpenAI's endpoint `/embeddings`, which DashScope, Ollama, vLLM and others have too. Throws
 * `config/invalid` for an unknown option, and for a model of unknown dimensions.
 *
 * @example
 * ```ts
 * import { openaiEmbedder } from "agentchart/openai";
 *
 * const embedder = openaiEmbedder({ model: "nomic-embed-text", dimensions: 768, baseURL: "http://127.0.0.1:11434/v1" });
 * ```
 */
export function openaiEmbedder(given: OpenAIEmbedderOptions): Embedder {
  check(optionsSchema(), given, "openaiEmbedder");
  const options = withKey("openaiEmbedder", given);
  const { model, client, batchSize = 100 } = options;
  const dimensions = options.dimensions ?? KNOWN_DIMENSIONS[model];
  if (dimensions === undefined)
    throw configError(
      `openaiEmbedder: the dimensions of the model "${model}" are not known: expected \`dimensions\`.`,
    );
  const { sendDimensions = model.startsWith("text-embedding-3") && options.dimensions !== undefined } =
    options;
  const { name = options.dimensions === undefined ? model : `${model}/${dimensions}` } = options;
  const baseURL = client?.baseURL ?? options.baseURL ?? OPENAI_BASE_URL;
  const apiKey = client ? (client as { readonly apiKey?: unknown }).apiKey : options.apiKey;
  const endpoint: Endpoint = { model, baseURL, secrets: secretsIn({ apiKey }) };
  const post = fetchTransport(options);

  /** Asks once. */
  async function ask(body: object, signal: AbortSignal): Promise<unknown> {
    const call: CallOptions = { signal, maxRetries: 0 };
    if (client) return (client.embeddings.create as unknown as Create).call(client.embeddings, body, call);
    const text = await (await post("/embeddings", JSON.stringify(body), call)).text();
    if (text.trimStart().startsWith("<")) throw badResponse("is a web page: check baseURL.", endpoint, false);
    return parsedJson(text);
  }

  async function embedBatch(
    input: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (readonly number[])[]> {
    const body = { model, input, encoding_format: "float", ...(sendDimensions && { dimensions }) };
    try {
      return vectorsOf(await unlessAborted(ask(body, signal), signal), endpoint);
    } catch (thrown) {
      throwIfAborted(signal);
      throw toModelError(thrown, endpoint);
    }
  }

  return {
    name,
    dimensions,
    embed: (texts, { signal }) =>
      embedInBatches(texts, { size: batchSize, dimensions, endpoint, signal }, (batch) =>
        embedBatch(batch, signal),
      ),
  };
}

/** Returns the vectors of an answer. Throws a {@link WireError} for one that says an error instead. */
function vectorsOf(answer: unknown, endpoint: Endpoint): readonly (readonly number[])[] {
  const { data } = (answer ?? {}) as Partial<Answer>;
  if (Array.isArray(data) && data.every((each) => isObject(each) && Array.isArray(each["embedding"])))
    return (data as Answer["data"]).toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding);
  const error =
    isObject(answer) && !Array.isArray(data) ? (errorOf(answer) ?? strayErrorOf(answer, false)) : undefined;
  throw error === undefined ? badResponse("has no vectors.", endpoint) : new WireError(error);
}
