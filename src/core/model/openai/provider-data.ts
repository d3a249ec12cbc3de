import { isObject, type Json, type JsonObject } from "../../base/json.ts";

/**
 * The data that the adapter of Chat Completions stores with a block, to send it back to the same server.
 *
 * It is stored under the key `openai`. Sessions that were stored before data was stored by adapter have it without this key and host.
 */
export type ProviderData = {
  /** The name of the host that sent the block. */
  readonly host?: string;
  /** The field of the thinking: absent for `reasoning_content`. */
  readonly field?: "reasoning" | "content";
  /** Signed or encrypted thinking of OpenRouter. */
  readonly reasoning_details?: readonly Json[];
  /** Data that Gemini's compatible endpoint sends with a call. */
  readonly extra_content?: Json;
  /** A content part that is neither text nor thinking. */
  readonly part?: Json;
};

/** Returns the opaque data that holds `data` of the server `host`. */
export function toOpaque(data: ProviderData, host: string | undefined): JsonObject {
  return { openai: { ...(host !== undefined && { host }), ...(data as JsonObject) } };
}

/** Returns the data of a block that `host` sent; undefined for data of other adapters and hosts. Without `host`, that of any host. */
export function ownData(opaque: Json | undefined, host: string | undefined): ProviderData | undefined {
  if (!isObject(opaque)) return undefined;
  const data = opaque["openai"] ?? (isOld(opaque) ? opaque : undefined);
  if (!isObject(data)) return undefined;
  const from = data["host"];
  return host === undefined || from === undefined || from === host ? (data as ProviderData) : undefined;
}

function isOld(opaque: JsonObject): boolean {
  return ["field", "reasoning_details", "extra_content"].some((key) => Object.hasOwn(opaque, key));
}
