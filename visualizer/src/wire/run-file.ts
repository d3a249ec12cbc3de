import type { Chart, JsonObject, Layouts, RunFileHeader, RunRow, WireStep } from "./types.ts";
import { isObject } from "../../../src/core/base/json.ts";
import {
  parseChart,
  isCount,
  parseRecord,
  parseRow,
  parseStates,
  parseStep,
} from "../../../src/inspect/protocol/parse-run-file.ts";
import { t } from "../words/t.ts";

/** The format version of exported runs that this page supports. */
const FORMAT = 1;

/** The content of an exported run. */
export type RunFile = {
  readonly row: RunRow;
  readonly exportedAt: number;
  readonly chart?: { readonly hash: string; readonly chart: Chart; readonly layouts: Layouts | null };
  readonly states: readonly (readonly string[])[];
  readonly steps: readonly WireStep[];
  /** The numbers of the first and of the last step; 1 and 0 without steps. */
  readonly first: number;
  readonly last: number;
  /** The context before the first step, and the number of the step that it follows. Those between steps follow from their patches. */
  readonly keyframe?: { readonly at: number; readonly context: JsonObject };
  /** Long strings by their hash. */
  readonly blobs: ReadonlyMap<string, string>;
  /** The first invalid line; everything before it was read. */
  readonly damage?: { readonly line: number; readonly message: string };
};

/**
 * Parses an exported run. A damaged file is read up to its first invalid line. Throws if the header is invalid.
 */
export function readRunFile(text: string): RunFile {
  const lines = text.split("\n");
  const header = readHeader(lines[0] ?? "");
  const states: (readonly string[])[] = [];
  const steps: WireStep[] = [];
  const blobs = new Map<string, string>();
  let keyframe: RunFile["keyframe"];
  let chart: RunFile["chart"];
  let damage: RunFile["damage"];
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line.trim() === "") continue;
    try {
      const record = parseRecord(line);
      if (isObject(record["chart"])) chart = parseChart(record, header.row.chart);
      else if (Array.isArray(record["state"])) states.push(parseStates(record["state"]));
      else if (isObject(record["keyframe"])) {
        const at = atOf(record);
        if (steps.length === 0) keyframe = { at, context: record["keyframe"] };
      } else if (typeof record["blob"] === "string") blobs.set(record["blob"], String(record["text"]));
      else steps.push(parseStep(record, steps.at(-1)?.q));
    } catch (error) {
      damage = { line: index + 1, message: (error as Error).message };
      break;
    }
  }
  const { row, exportedAt } = header;
  return {
    row,
    exportedAt,
    states,
    steps,
    first: steps[0]?.q ?? 1,
    last: steps.at(-1)?.q ?? 0,
    blobs,
    ...(keyframe && { keyframe }),
    ...(chart && { chart }),
    ...(damage && { damage }),
  };
}

function readHeader(line: string): RunFileHeader {
  let header: JsonObject;
  try {
    header = parseRecord(line);
  } catch {
    throw new Error(
      t("This is not an exported run: its first line is not the header that `agentchart` writes."),
    );
  }
  const version = header["agentchartRun"];
  if (typeof version !== "number" || !isObject(header["row"]))
    throw new Error(t("This is not an exported run: its first line lacks `agentchartRun` or `row`."));
  if (version > FORMAT)
    throw new Error(
      t`This run was exported in format ${version}; this page supports format ${FORMAT}. Update agentchart.`,
    );
  return { ...(header as unknown as RunFileHeader), row: parseRow(header["row"]) };
}

function atOf({ at }: JsonObject): number {
  if (!isCount(at)) throw new Error(t("`at` must be the number of a step"));
  return at;
}
