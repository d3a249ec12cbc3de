import type { RunCommand } from "../wire/types.ts";
import type { Model } from "./model.ts";
import { t } from "../words/t.ts";

/** Returns why a command is not available, as the end of a sentence; undefined if it is available. */
export function disabledReason({ connection, row }: Model, type: RunCommand["type"]): string | undefined {
  if (row?.source === "file") return t("this is a file");
  if (connection.kind === "badToken" || connection.kind === "version")
    return t("this page is no longer connected");
  if (connection.kind !== "open") return t("the inspector is not responding");
  if (connection.readonly) return t("the inspector is read-only");
  if (row?.can.includes(type)) return undefined;
  return row?.parent ? t("the run that it is inside of drives it") : t("no process drives the run");
}
