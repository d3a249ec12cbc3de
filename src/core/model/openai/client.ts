import type { ClientOptions, OpenAI } from "openai";
import { missingPackage } from "../../base/missing-package.ts";
import { OPENAI_BASE_URL } from "./dialect.ts";
import { withError } from "./error-body.ts";
import { fetchWithinOrigin } from "./redirects.ts";

type Create = { create(body: never, options?: never): PromiseLike<unknown> };

/** The part of an `openai` client that is needed. Any version of `OpenAI` or `AzureOpenAI` has it, wrapped for tracing or not. */
export interface ChatCompletionsClient {
  readonly baseURL?: string | undefined;
  readonly chat: { readonly completions: Create };
  /** Needed for `api: "responses"`. */
  readonly responses?: Create | undefined;
}

/** The options that a call passes on to the client. */
export type CallOptions = {
  readonly signal: AbortSignal;
  readonly maxRetries: 0;
  readonly timeout?: number;
  readonly headers?: { readonly [name: string]: string } | undefined;
};

type Pending = PromiseLike<unknown> & { asResponse?(): Promise<Response> };
type Start = (body: object, options: CallOptions) => Pending;

/** The longest time a timer can hold: the caller's signal is what ends a call. */
const NO_TIMEOUT = 2 ** 31 - 1;

export type OpenAIClientOptions = {
  readonly apiKey?: string | undefined;
  readonly baseURL?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
};

/**
 * A client that takes everything from its arguments and nothing from the environment, does not log, retry or time
 * out. The `openai` package is loaded here, with the first call. Rejects `config/invalid` if it is not installed.
 */
async function createClient({ apiKey, baseURL, fetch }: OpenAIClientOptions): Promise<OpenAI> {
  const { OpenAI } = await import("openai").catch(
    missingPackage('openaiModel with transport: "openai"', "openai"),
  );
  const options: ClientOptions = {
    apiKey: apiKey || "none",
    baseURL: baseURL ?? OPENAI_BASE_URL,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: "off",
    maxRetries: 0,
    timeout: NO_TIMEOUT,
    fetch: async (url, init) =>
      withError(await fetchWithinOrigin(fetch ?? globalThis.fetch, String(url), init)),
  };
  const client = new OpenAI(options);
  // OPENAI_CUSTOM_HEADERS has no option that overrides it; the client keeps what it made of it here.
  const kept: unknown = Reflect.get(client, "_options");
  if (typeof kept === "object" && kept !== null) Reflect.set(kept, "defaultHeaders", undefined);
  return client;
}

/** Posts a request. Rejects with what `toModelError` judges. */
export type Post = (
  path: "/chat/completions" | "/embeddings" | "/responses",
  body: string,
  options: CallOptions,
) => Promise<Response>;

/** Returns what posts requests with a client of our own. */
export function clientTransport(options: OpenAIClientOptions): Post {
  let client: Promise<OpenAI> | undefined;
  return async (path, body, { headers, ...call }) => {
    const json = { ...headers, "content-type": "application/json" };
    const made = await (client ??= createClient(options));
    return made.post(path, { ...call, body, headers: json, stream: true }).asResponse();
  };
}

/** Starts one request on the client of the options. Returns the raw response, or the chunks themselves if the client
 *  is wrapped so that the response cannot be had. */
export async function startCall(
  resource: Create,
  body: object,
  options: CallOptions,
): Promise<Response | AsyncIterable<unknown>> {
  const pending = (resource.create as unknown as Start).call(resource, body, options);
  if (pending.asResponse) return pending.asResponse();
  const answer = (await pending) as object;
  return Symbol.asyncIterator in answer ? (answer as AsyncIterable<unknown>) : whole(answer);
}

/** An answer that is not streamed, as the one chunk that it is. */
async function* whole(answer: object): AsyncGenerator<object, undefined> {
  await Promise.resolve();
  yield answer;
}
