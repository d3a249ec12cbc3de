import type { RunCommand } from "../wire/types.ts";
import type { Model } from "./model.ts";

/** Returns why a command is not available, as the end of a sentence; undefined if it is available. */
export function disabledReason({ connection, row }: Model, type: RunCommand["type"]): string | undefined {
  if (row?.source === "file") return "this is a file";
  if (connection.kind === "badToken" || connection.kind === "version")
    return "this page is no longer connected";
  if (connection.kind !== "open") return "the inspector is not responding";
  if (connection.readonly) return "the inspector is read-only";
  if (row?.can.includes(type)) return undefined;
  return row?.parent ? "the run that it is inside of drives it" : "no process drives the run";
}
