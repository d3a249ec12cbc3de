import type { Json } from "../../base/json.ts";
import { sourceTitle, type AnswerSource } from "../../message/msg.ts";
import type { TurnChunk } from "./ui-message-chunk.ts";

/** Media types by the end of a document's name; others are plain text, as the passages are. */
const MEDIA_TYPES: ReadonlyMap<string | undefined, string> = new Map([
  ["htm", "text/html"],
  ["html", "text/html"],
  ["md", "text/markdown"],
  ["pdf", "application/pdf"],
]);

/** A source as a part of the AI SDK: a page of the web that the provider has found as a link, anything else as a document. */
export function sourceChunk(sourceId: string, source: AnswerSource): TurnChunk {
  const { kind, document } = source;
  const providerMetadata = { agentchart: source as unknown as Json & object };
  if (kind === "provider" && document !== undefined && /^https?:/i.test(document) && URL.canParse(document))
    return { type: "source-url", sourceId, url: document, title: sourceTitle(source), providerMetadata };
  return {
    type: "source-document",
    sourceId,
    mediaType: MEDIA_TYPES.get(document?.split(".").at(-1)?.toLowerCase()) ?? "text/plain",
    title: sourceTitle(source),
    ...(document !== undefined && { filename: document }),
    providerMetadata,
  };
}
