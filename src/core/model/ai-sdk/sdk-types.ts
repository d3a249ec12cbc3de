import { type AgentError, configError } from "../../base/error.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";

/** The part of a language model of an AI SDK provider that is needed, of the specification v2, v3 or v4. Each has it: `createAnthropic({
 *  apiKey })("claude-…")`. */
export interface AiSdkLanguageModel {
  readonly specificationVersion: string;
  /** The provider and its API, such as `anthropic.messages`. */
  readonly provider: string;
  readonly modelId: string;
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}

/** The versions of the specification that are known. */
export const VERSIONS = ["v2", "v3", "v4"] as const;
export type Version = (typeof VERSIONS)[number];

/** Data of a provider, under its name. */
export type ProviderMetadata = { readonly [provider: string]: JsonObject };

/** The bytes of a file: base64 or bytes, a URL, or in v4 an object that says which. */
export type SdkData =
  | string
  | Uint8Array
  | URL
  | { readonly type: "data"; readonly data: string | Uint8Array }
  | { readonly type: "url"; readonly url: URL | string };

/** A part of a stream. Which fields it has depends on its type and on the version. */
export type SdkPart = {
  readonly type: string;
  readonly id?: string;
  readonly delta?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: unknown;
  readonly providerExecuted?: boolean;
  readonly preliminary?: boolean;
  readonly result?: Json;
  readonly isError?: boolean;
  readonly kind?: string;
  readonly mediaType?: string;
  readonly data?: SdkData;
  readonly modelId?: string;
  readonly warnings?: readonly Json[];
  readonly error?: unknown;
  readonly usage?: SdkUsage;
  readonly finishReason?: string | { readonly unified: string; readonly raw?: string };
  readonly providerMetadata?: ProviderMetadata;
};

type Counts = { readonly [name: string]: number | undefined };

/** v2 counts in numbers, v3 and v4 in objects. */
export type SdkUsage = {
  readonly inputTokens?: number | Counts;
  readonly outputTokens?: number | Counts;
  readonly totalTokens?: number;
  readonly cachedInputTokens?: number;
  readonly reasoningTokens?: number;
};

/** Throws `config/invalid` for what is not a model of a provider in one of {@link VERSIONS}. `example` says where one is had. */
export function checkSdkModel(
  model: unknown,
  kind: "a language model" | "an embedding model",
  { by, has, example, pkg }: { readonly [name in "by" | "has" | "example" | "pkg"]: string },
): void {
  const invalid = (problem: string): AgentError => configError(`${by}: ${problem}`);
  const expected = `expected ${kind} of an AI SDK provider, such as ${example} of ${pkg}`;
  if (typeof model === "string")
    throw invalid(`"${model}" is the name of a model; ${expected} (npm install ${pkg}).`);
  const found = isObject(model) ? (model as { readonly [field: string]: unknown }) : {};
  const isNamed = typeof found["modelId"] === "string" && typeof found["provider"] === "string";
  if (typeof found[has] !== "function" || !isNamed)
    throw invalid(`The argument is not ${kind}; ${expected}.`);
  const version = found["specificationVersion"];
  if (!VERSIONS.some((known) => known === version))
    throw invalid(
      `The model has the specification version ${JSON.stringify(version)}; expected ${VERSIONS.join(", ")}: install a release of its package that has one of them.`,
    );
}
