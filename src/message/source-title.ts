import type { AnswerSource } from "./sources.ts";

const DAY = "0000-00-00".length;

/** Returns what people call a source: its title, its document with the page, or the day of a memory. */
export function sourceTitle({ kind, document, title, page, at }: AnswerSource): string {
  if (title !== undefined) return title;
  if (document !== undefined) return page === undefined ? document : `${document}, page ${page}`;
  if (kind === "knowledge") return "Knowledge";
  if (kind === "provider") return "Source";
  const isDate = at !== undefined && !Number.isNaN(new Date(at).getTime());
  return isDate ? `Memory of ${new Date(at).toISOString().slice(0, DAY)}` : "Memory";
}
