import type { MediaBlock } from "../../core/message/types.ts";

type Kind = readonly [type: MediaBlock["type"], mediaType: string, at: number, signature: string];

const KINDS: readonly Kind[] = [
  ["image", "image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image", "image/jpeg", 0, "\xff\xd8\xff"],
  ["image", "image/gif", 0, "GIF8"],
  ["image", "image/webp", 8, "WEBP"],
  ["audio", "audio/wav", 8, "WAVE"],
  ["audio", "audio/mpeg", 0, "ID3"],
  ["audio", "audio/mpeg", 0, "\xff\xfb"],
  ["audio", "audio/ogg", 0, "OggS"],
  ["audio", "audio/flac", 0, "fLaC"],
  ["video", "video/mp4", 4, "ftyp"],
  ["video", "video/webm", 0, "\x1a\x45\xdf\xa3"],
];

/** Returns the media that a file holds, told by its first bytes and not by its name; undefined if it holds none. */
export function mediaOf(content: Uint8Array): MediaBlock | undefined {
  const head = Buffer.from(content.subarray(0, 16)).toString("latin1");
  const kind = KINDS.find(([, , at, signature]) => head.startsWith(signature, at));
  if (!kind) return undefined;
  const [type, mediaType] = kind;
  return { type, source: { type: "base64", mediaType, data: Buffer.from(content).toString("base64") } };
}
