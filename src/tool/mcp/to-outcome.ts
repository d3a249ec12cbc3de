import { isObject } from "../../base/is-object.ts";
import type { JsonObject } from "../../base/json.ts";
import type { MediaBlock, TextBlock } from "../../message/types.ts";
import type { ToolOutcome } from "../types.ts";

/** The result of a call, as far as it is read here. */
export type McpResult = {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: unknown;
};

type Block = TextBlock | MediaBlock;

const text = (value: string): TextBlock => ({ type: "text", text: value.toWellFormed() });
const media = (type: "image" | "audio", mediaType: unknown, data: unknown): Block =>
  typeof data === "string" && typeof mediaType === "string"
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
      return text(String(content["text"]));
    case "image":
    case "audio":
      return media(content["type"], content["mimeType"], content["data"]);
    case "resource":
      return resourceBlock(content["resource"]);
    case "resource_link": {
      const type = content["mimeType"] === undefined ? "" : ` ${String(content["mimeType"])}`;
      return text(`[Resource ${String(content["name"])}: ${String(content["uri"])}${type}]`);
    }
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

/** Returns what the model reads of a result. What is for people only, and structured content, is metadata. */
export function toOutcome(result: McpResult | null | undefined): ToolOutcome {
  if (!isObject(result)) return { output: [text("Error: MCP tool returned null result")], state: "error" };
  const contents: readonly unknown[] = Array.isArray(result.content) ? result.content : [];
  const forUser = contents.filter(isForUser);
  const output = contents.filter((content) => !isForUser(content)).map(blockOf);
  if (result.isError === true) return { output: [text(errorText(output))], state: "error" };
  const structured = result.structuredContent;
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
