import type { JsonObject } from "../../base/json.ts";
import { redactSecrets } from "../../base/secrets.ts";
import type { ChatModel, ModelRequest } from "../port.ts";
import type { WireRequest } from "../wire-request.ts";
import type { DialectName } from "../host-rules.ts";
import { callOptionsOf } from "./call-options.ts";
import { plain } from "./own-data.ts";
import type { AiSdkLanguageModel, ProviderMetadata } from "./sdk-types.ts";

type Settings = {
  readonly providerOptions?: ProviderMetadata | undefined;
  readonly cache: "auto" | "off";
  readonly dialect?: DialectName | undefined;
};

/** Returns how the model of a provider makes its requests, as data without secrets. */
export function aiSdkWire(
  { provider, modelId, specificationVersion }: AiSdkLanguageModel,
  { providerOptions, cache, dialect }: Settings,
): NonNullable<ChatModel["wire"]> {
  const options = {
    provider,
    modelId,
    specificationVersion,
    cache,
    ...(dialect && { dialect }),
    ...(providerOptions && { providerOptions: redactSecrets(plain(providerOptions)) }),
  };
  return { adapter: "ai-sdk", options };
}

/** Returns what {@link aiSdkModel} passes to the model of a provider for a request: what {@link aiSdkWire} recorded decides about it. A
 *  pure function. */
export function aiSdkWireRequest(options: JsonObject, request: ModelRequest): WireRequest {
  const { cache, providerOptions, dialect, ...model } = options as unknown as Settings & AiSdkLanguageModel;
  const settings = { cache, ...(dialect && { dialect }), ...(providerOptions && { providerOptions }) };
  const { extraHeaders: _, ...generate } = request.options;
  const { signal } = new AbortController();
  const call = callOptionsOf({ ...request, options: generate }, model, settings, signal);
  const { abortSignal: __, headers: ___, ...body } = call as { readonly [name: string]: unknown };
  return {
    headers: {},
    body: plain(body),
    notes: [
      "These are the options of `doStream`: the package of the provider makes the HTTP request of them.",
      "Headers are left out, since they may hold secrets.",
    ],
  };
}
