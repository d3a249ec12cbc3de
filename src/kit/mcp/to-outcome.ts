import { isObject, type JsonObject } from "../../core/base/json.ts";
import type { MediaBlock, TextBlock } from "../../core/message/types.ts";
import { MALFORMED } from "./mend-answer.ts";
import type { ToolOutcome } from "../../core/tool/types.ts";

/** The result of a call, as far as it is read here. */
export type McpResult = {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: unknown;
  /** The result in the revision 2024-10. */
  readonly toolResult?: unknown;
};

const TYPE = /^[a-z]+\/[\w.+-]+$/i;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

type Block = TextBlock | MediaBlock;

const text = (value: string): TextBlock => ({ type: "text", text: value.toWellFormed() });
const media = (type: "image" | "audio", mediaType: unknown, data: unknown): Block =>
  typeof data === "string" && BASE64.test(data) && typeof mediaType === "string" && TYPE.test(mediaType)
    ? { type, source: { type: "base64", mediaType, data } }
    : text(`[${type} without data]`);

function resourceBlock(resource: unknown): Block {
  if (!isObject(resource)) return text("[Resource without content]");
  const { uri, mimeType, text: content, blob } = resource;
  if (typeof content === "string") return text(`[${String(uri)}]\n${content}`);
  if (typeof blob !== "string") return text(`[Resource ${String(uri)}]`);
  if (String(mimeType).startsWith("image/")) return media("image", mimeType, blob);
  const bytes = Buffer.byteLength(blob, "base64");
  return text(`[Binary resource ${String(mimeType ?? "of unknown type")} ${String(uri)}, ${bytes} bytes]`);
}

function blockOf(content: unknown): Block {
  if (!isObject(content)) return text(JSON.stringify(content) ?? "");
  switch (content["type"]) {
    case "text":
      return text(typeof content["text"] === "string" ? content["text"] : JSON.stringify(content));
    case "image":
    case "audio":
      return media(content["type"], content["mimeType"], content["data"]);
    case "resource":
      return resourceBlock(content["resource"]);
    case "resource_link": {
      const type = content["mimeType"] === undefined ? "" : ` ${String(content["mimeType"])}`;
      return text(`[Resource ${String(content["name"])}: ${String(content["uri"])}${type}]`);
    }
    case undefined:
      return text(JSON.stringify(content));
    default:
      return text(`[Content of the unknown type ${String(content["type"])}]`);
  }
}

/** True for what is meant for people and not for the model. */
function isForUser(content: unknown): boolean {
  const annotations = isObject(content) ? content["annotations"] : undefined;
  const audience = isObject(annotations) ? annotations["audience"] : undefined;
  return Array.isArray(audience) && audience.length > 0 && audience.every((each) => each === "user");
}

function errorText(output: readonly Block[]): string {
  const texts = output.flatMap((block) => (block.type === "text" ? [block.text] : []));
  return `Error: ${texts.join("\n") || "Unknown error"}`;
}

/** True for media that structured content has once more. */
const isIn = (json: string, block: Block): boolean =>
  block.type !== "text" && block.source.type === "base64" && json.includes(block.source.data);

/** The parts of a result: a text and a single part are a list of one, and null is an empty list. */
function contentsOf({ content, toolResult }: McpResult): readonly unknown[] {
  const given = content ?? toolResult ?? [];
  const parts: readonly unknown[] = Array.isArray(given) ? given : [given];
  return parts
    .filter((part) => part !== null)
    .map((part) => (typeof part === "string" ? { type: "text", text: part } : part));
}

/** The maximum number of parts of a result that are read. */
const MAX_PARTS = 5_000;

/** Throws an error with the code {@link MALFORMED} for a result whose content is not a list of parts. */
export function checkShape({ content }: McpResult): void {
  if (Array.isArray(content) && content.length > MAX_PARTS) {
    const text = `The answer of the server has ${content.length} parts; at most ${MAX_PARTS} are read`;
    throw Object.assign(new Error(text), { code: MALFORMED });
  }
  if (content === undefined || content === null || typeof content === "object" || typeof content === "string")
    return;
  const text = `The answer of the server is malformed: \`content\` is a ${typeof content}; expected a list`;
  throw Object.assign(new Error(text), { code: MALFORMED });
}

/** Returns what the model reads of a result; of an error, what `hide` makes of it. What is for people only, and structured content, is
 *  metadata. */
export function toOutcome(
  result: McpResult | null | undefined,
  hide: (text: string) => string = (text) => text,
): ToolOutcome {
  if (!isObject(result)) return { output: [text("Error: MCP tool returned null result")], state: "error" };
  const contents = contentsOf(result);
  const forUser = contents.filter(isForUser);
  const output = contents.filter((content) => !isForUser(content)).map(blockOf);
  if (result.isError === true) return { output: [text(hide(errorText(output)))], state: "error" };
  const structured = result.structuredContent ?? undefined;
  const json = structured === undefined ? undefined : JSON.stringify(structured);
  if (json !== undefined && !output.some((block) => block.type === "text" || isIn(json, block)))
    output.push(text(json));
  const metadata = {
    ...(structured !== undefined && { structuredContent: structured }),
    ...(forUser.length > 0 && { forUser }),
  } as JsonObject;
  return {
    output: output.length === 0 ? [text("ok")] : output,
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}
