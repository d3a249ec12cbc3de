import type { MediaBlock, TextBlock } from "../../message/types.ts";

/** The text that stands for a block where only text is accepted. */
export function asText(block: TextBlock | MediaBlock): string {
  if (block.type === "text") return block.text;
  const { type, source } = block;
  if (source.type === "url") return `The returned ${type} can be found at: ${source.url}`;
  return `[${type}, ${source.mediaType}: not shown]`;
}

/** The URL of media, or their bytes as one. */
export function urlOf({ source }: MediaBlock): string {
  return source.type === "url" ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

/** A sound as its bytes, or its URL, and its format. */
export function audioOf(
  { source }: MediaBlock,
  form: "base64" | "url" = "base64",
): { readonly data: string; readonly format: string } {
  if (source.type === "url")
    return { data: source.url, format: /\.(\w+)(?:[?#]|$)/.exec(source.url)?.[1] ?? "wav" };
  const subtype = source.mediaType.replace(/^audio\/(x-)?/, "").replace(/;.*$/, "");
  const data = form === "url" ? `data:;base64,${source.data}` : source.data;
  return { data, format: subtype === "mpeg" ? "mp3" : subtype };
}
