import { isObject, type Json, type JsonObject } from "../../base/json.ts";

/** The data that the adapter of Responses stores with a block, to send it back to the same server; stored under the key `openai-responses`. */
export type ResponsesData = {
  /** The name of the host that sent the block. */
  readonly host?: string;
  /** The id of the item that the block is a part of: blocks with the same id are parts of one item. */
  readonly item?: string;
  /** The phase of a message. */
  readonly phase?: string;
  /** Thinking: which part of its item it is. */
  readonly part?: "summary" | "content";
  /** Thinking: what the server reads instead of the text. */
  readonly encrypted_content?: string;
  /** Text: that it is a refusal. */
  readonly refusal?: true;
  /** An item as a whole: of a built-in tool, or a compacted conversation. The bytes of an image are left out. */
  readonly whole?: JsonObject;
};

const KEY = "openai-responses";

/** Returns the opaque data that holds `data` of the server `host`. */
export function toResponsesOpaque(data: ResponsesData, host: string | undefined): JsonObject {
  return { [KEY]: { ...(host !== undefined && { host }), ...(data as JsonObject) } };
}

/** Returns the data of a block that `host` sent; undefined for data of other adapters and hosts. */
export function responsesData(opaque: Json | undefined, host: string | undefined): ResponsesData | undefined {
  const data = isObject(opaque) ? opaque[KEY] : undefined;
  if (!isObject(data)) return undefined;
  return data["host"] === host ? (data as ResponsesData) : undefined;
}
