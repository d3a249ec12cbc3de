import { isObject } from "../../core/base/is-object.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { RunRow } from "./protocol.ts";

/** Reads from the labels of a session how its run belongs to others. */
export function relationsOf({
  forkedFrom,
  forkedAt,
  parent,
  schedule,
  tick,
}: JsonObject): Pick<RunRow, "forkOf" | "parent" | "startedBy"> {
  const { sessionId, callId } = isObject(parent) ? parent : {};
  return {
    ...(typeof forkedFrom === "string" && {
      forkOf: { runId: forkedFrom, seq: typeof forkedAt === "number" ? forkedAt : 0 },
    }),
    ...(typeof schedule === "string" && typeof tick === "string" && { startedBy: { schedule, tick } }),
    ...(typeof sessionId === "string" &&
      typeof callId === "string" && { parent: { runId: sessionId, callId } }),
  };
}

const MAX_TITLE = 80;

/** The title that a session was given in its labels: `meta.title`. It comes before the first words of the input. */
export function titleOf({ title }: JsonObject): Pick<RunRow, "title"> {
  if (typeof title !== "string" || title.trim() === "") return {};
  return { title: title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE - 1).toWellFormed()}…` : title };
}
