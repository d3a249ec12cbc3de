import type { RunCommand } from "../wire/types.ts";
import type { Model } from "./model.ts";

/** Why this cannot be asked of the run now, as the end of a sentence; undefined if it can. */
export function hindranceTo({ connection, row }: Model, type: RunCommand["type"]): string | undefined {
  if (row?.source === "file") return "this is a file";
  if (connection.kind === "badToken" || connection.kind === "version")
    return "this page is no longer connected";
  if (connection.kind !== "open") return "the inspector does not answer";
  if (connection.readonly) return "the inspector only shows";
  return row?.can.includes(type) ? undefined : "no process drives the run";
}
