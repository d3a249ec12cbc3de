import type { Json } from "../../base/json.ts";
import { sourceTitle } from "../../message/source-title.ts";
import type { AnswerSource } from "../../message/sources.ts";
import type { TurnChunk } from "./ui-message-chunk.ts";

/** Media types by the end of a document's name; others are plain text, as the passages are. */
const MEDIA_TYPES: { readonly [end: string]: string } = {
  htm: "text/html",
  html: "text/html",
  md: "text/markdown",
  pdf: "application/pdf",
};

/** A source as a part of the AI SDK. */
export function sourceChunk(sourceId: string, source: AnswerSource): TurnChunk {
  const { document } = source;
  return {
    type: "source-document",
    sourceId,
    mediaType: MEDIA_TYPES[document?.split(".").at(-1)?.toLowerCase() ?? ""] ?? "text/plain",
    title: sourceTitle(source),
    ...(document !== undefined && { filename: document }),
    providerMetadata: { agentchart: source as unknown as Json & object },
  };
}
