import { isObject, type Json } from "../../core/base/json.ts";
import { SearchFold } from "../../store/search-fold.ts";
import { hasWords, queryWords } from "../../store/search-words.ts";
import { hasFacts, type RunFilter } from "../protocol/outcomes.ts";
import type { RunRow } from "../protocol/protocol.ts";
import type { OpenRun } from "./open-run.ts";

type Known = { readonly fold: SearchFold; readonly last: number; readonly messages: number };

const known = new WeakMap<OpenRun, Known>();

/** The words and the tools of a run in memory. What was added to the run since the last call is read. */
function foldOf(run: OpenRun): SearchFold {
  const before = known.get(run);
  const { log } = run;
  if (before?.last === log.last) return before.fold;
  const messages = (log.context as { readonly messages?: Json } | undefined)?.messages;
  const all = Array.isArray(messages) ? (messages as readonly Json[]) : [];
  const grows = before !== undefined && before.messages <= all.length;
  const fold = grows ? before.fold : new SearchFold();
  for (const message of all.slice(grows ? before.messages : 0)) fold.addMessage(whole(message, run));
  known.set(run, { fold, last: log.last, messages: all.length });
  return fold;
}

/** A message with its long strings. */
function whole(message: Json, run: OpenRun): Json {
  const fill = (_: string, value: Json): Json => {
    if (!isObject(value) || typeof value["$blob"] !== "string") return value;
    return run.blob(value["$blob"]) ?? value["head"] ?? "";
  };
  return JSON.parse(JSON.stringify(message), fill) as Json;
}

/** True if a run in memory, with this row, has what a filter asks for. */
export function matchesFilter(run: OpenRun, row: RunRow, filter: RunFilter): boolean {
  const { q = "", tool } = filter;
  if (!hasFacts(row, filter)) return false;
  if (tool !== undefined && !foldOf(run).summary.tools.includes(tool)) return false;
  if (q.trim() === "") return true;
  const about = new SearchFold();
  for (const text of [row.runId, row.agent, row.title ?? ""]) about.addText(text);
  const query = queryWords(q);
  return (
    query.length > 0 &&
    query.every((word) => hasWords(about.words, [word]) || hasWords(foldOf(run).words, [word]))
  );
}
