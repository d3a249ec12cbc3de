import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { ProviderMetadata } from "./sdk-types.ts";

/** The data that the bridge stores with a block, to send it back to the same provider; stored under the key `ai-sdk`. */
export type SdkData = {
  /** The provider that sent the block, such as `anthropic`. */
  readonly provider: string;
  /** The provider's metadata about the block: its `providerOptions` on the way back. */
  readonly metadata?: ProviderMetadata;
  /** A part of the prompt as a whole: of a tool that the provider runs, or of a kind of its own. */
  readonly part?: JsonObject;
};

const KEY = "ai-sdk";

/** Returns the opaque data of a block. */
export function toOpaque(data: SdkData): JsonObject {
  return { [KEY]: plain(data) };
}

/** Returns the data of a block that this provider sent; undefined for a block of another one, or of another adapter. */
export function ownData(opaque: Json | undefined, provider: string): SdkData | undefined {
  const data = isObject(opaque) ? opaque[KEY] : undefined;
  return isObject(data) && data["provider"] === provider ? (data as SdkData) : undefined;
}

/** The name of the provider in the name of its API: `anthropic` in `anthropic.messages`. */
export function familyOf(provider: string): string {
  return provider.split(".")[0]!;
}

/** Returns a value as JSON has it: without undefined fields, dates and URLs as strings. */
export function plain(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
