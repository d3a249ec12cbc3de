import { isObject, type JsonObject } from "../../core/base/json.ts";
import type { ForkLabel } from "../../../machines/agent/prompt/edits.ts";
import type { RunRow } from "./protocol.ts";

/** Reads from the labels of a session how its run belongs to others. */
export function relationsOf({
  forkedFrom,
  forkedAt,
  forkedWith,
  parent,
  schedule,
  tick,
}: JsonObject): Pick<RunRow, "forkOf" | "parent" | "startedBy"> {
  const { sessionId, callId } = isObject(parent) ? parent : {};
  return {
    ...(typeof forkedFrom === "string" && {
      forkOf: forkOf({ runId: forkedFrom, seq: forkedAt, changed: forkedWith }),
    }),
    ...(typeof schedule === "string" && typeof tick === "string" && { startedBy: { schedule, tick } }),
    ...(typeof sessionId === "string" &&
      typeof callId === "string" && { parent: { runId: sessionId, callId } }),
  };
}

const KINDS = ["system", "model", "options", "tools", "message", "arguments", "result"] as const;
const [MAX_LABELS, MAX_LABEL, MAX_ID] = [5, 100, 1_000];

type Fields = { readonly [field: string]: unknown };

/** Reads what a run was forked from, and what was changed, as far as it can be read. */
export function forkOf({ runId, seq, changed }: Fields): NonNullable<RunRow["forkOf"]> {
  const labels = (Array.isArray(changed) ? changed : []).slice(0, MAX_LABELS).flatMap((each): ForkLabel[] => {
    const { what: kind, of, now } = isObject(each) ? each : {};
    const what = KINDS.find((known) => known === kind);
    if (!what) return [];
    return [{ what, of: short(of), ...(typeof now === "string" && { now: short(now) }) }];
  });
  return {
    runId: typeof runId === "string" ? runId.slice(0, MAX_ID) : "",
    seq: typeof seq === "number" ? seq : 0,
    ...(labels.length > 0 && { changed: labels }),
  };
}

const short = (text: unknown): string =>
  typeof text === "string" ? text.slice(0, MAX_LABEL).toWellFormed() : "";

const MAX_TITLE = 80;

/** The title that a session was given in its labels: `meta.title`. It comes before the first words of the input. */
export function titleOf({ title }: JsonObject): Pick<RunRow, "title"> {
  if (typeof title !== "string" || title.trim() === "") return {};
  return { title: title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE - 1).toWellFormed()}…` : title };
}
