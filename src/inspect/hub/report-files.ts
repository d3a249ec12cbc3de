import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { isObject, type Json, type JsonObject } from "../../core/base/json.ts";

/** The maximum size of a report, in bytes. */
const MAX_BYTES = 100_000_000;

/** A report of an evaluation or an experiment, read from a file. */
export type StoredReport = {
  readonly file: string;
  readonly kind: "evaluation" | "experiment";
  /** The report as `evaluate` or `experiment` has returned it; its parts are not checked. */
  readonly report: JsonObject;
};

const rowsIn = (value: Json | undefined): boolean => Array.isArray(value) && value.every(isObject);

/** Returns the kind of a value that is a report; undefined for any other value. */
export function reportKind(value: unknown): StoredReport["kind"] | undefined {
  if (!isObject(value)) return undefined;
  const { name, results, rows, clusters } = value as JsonObject;
  if (typeof name === "string" && rowsIn(results)) return "evaluation";
  return rowsIn(rows) && rowsIn(clusters) ? "experiment" : undefined;
}

/** Reads a file as a report; undefined for another file, such as an exported run. */
export async function readReportFile(path: string): Promise<StoredReport | undefined> {
  try {
    if ((await stat(path)).size > MAX_BYTES) return undefined;
    const value: unknown = JSON.parse((await readFile(path, "utf8")).replace(/^\uFEFF/u, ""));
    // `agentchart eval` prints the report with its comparison beside it.
    const isPrinted = isObject(value) && isObject(value["report"]) && reportKind(value) === undefined;
    const report = isPrinted ? value["report"] : value;
    const kind = reportKind(report);
    return kind && { file: basename(path), kind, report: report as JsonObject };
  } catch {
    return undefined; // who reads runs says what is wrong
  }
}
