import { readFile } from "node:fs/promises";
import type { Chart } from "../../diagram/chart-json.ts";
import { AgentError, messageOf } from "../../base/error.ts";
import { PROTOCOL, type RunRow } from "../protocol/protocol.ts";
import { chartOf, recordOf, rowOf, statesOf, stepOf } from "../protocol/run-file-shape.ts";
import { isObject } from "../../base/is-object.ts";
import type { JsonObject } from "../../base/json.ts";
import { readPosition } from "../../store/position.ts";
import type { JournalEntry } from "../../store/port.ts";
import { FoldedRun } from "./folded-run.ts";
import type { OpenRun } from "./open-run.ts";
import { RunLog } from "./run-log.ts";

export type KnownChart = { readonly hash: string; readonly chart: Chart };

/** A run out of a file, and its chart if it is in there. */
export type FileRun = { readonly run: OpenRun; readonly chart?: KnownChart };

/**
 * Reads a run that was exported, or a session from `agentchart sessions export`. One without its chart is shown on `own` if that
 * is the same, else without any, which the row's `notice` says. A file that is cut off or damaged is opened
 * to its last good line, and the row's `notice` names the first bad one. Rejects `session/damaged` for what is no such file,
 * `session/version` for one of another release, and `store/failed` if it cannot be read.
 */
export async function openFile(path: string, own: KnownChart): Promise<FileRun> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new AgentError("store/failed", `${path} cannot be read: ${messageOf(error)}`, { cause: error });
  });
  const lines = text.split("\n");
  const header = parsed(lines[0]!);
  if (header?.["agentchartRun"] !== undefined) return openRunFile(path, header, lines, own);
  if (header?.["format"] === "agentchart.session") return openSessionFile(header, lines, own);
  throw new AgentError(
    "session/damaged",
    `${path} is no exported run and no exported session: its first line is neither.`,
  );
}

function parsed(line: string): JsonObject | undefined {
  try {
    const value = JSON.parse(line) as unknown;
    return typeof value === "object" && value !== null ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

const NO_CHART = "Its chart is not in the file, and this release has another one: it is shown without.";

function stopped(number: number, problem: string): string {
  return `Opened to line ${number - 1}: line ${number} ${problem}.`;
}

/** Gives each line to `take` until one is bad, and says which. */
function takeLines(lines: readonly string[], take: (value: JsonObject) => void): string | undefined {
  for (const [index, line] of lines.entries()) {
    if (index === 0 || (line === "" && index === lines.length - 1)) continue;
    if (!parsed(line))
      return stopped(index + 1, index === lines.length - 1 ? "is cut off" : "is no JSON object");
    try {
      take(recordOf(line));
    } catch (error) {
      return stopped(index + 1, `cannot be read (${messageOf(error)})`);
    }
  }
  return undefined;
}

function openRunFile(path: string, header: JsonObject, lines: readonly string[], own: KnownChart): FileRun {
  if (header["agentchartRun"] !== PROTOCOL)
    throw new AgentError("session/version", `${path} is of another release; this one reads ${PROTOCOL}.`);
  const row = rowIn(path, header);
  const log = new RunLog(row.runId, Number.POSITIVE_INFINITY);
  const blobs = new Map<string, string>();
  const states: number[] = [];
  let chart: KnownChart | undefined;
  let keyframe: JsonObject | undefined;
  const notice = takeLines(lines, (value) => {
    if (isObject(value["chart"])) chart = chartOf(value, row.chart);
    else if (Array.isArray(value["state"])) states.push(log.stateOf(statesOf(value["state"])));
    else if (isObject(value["keyframe"])) keyframe = value["keyframe"];
    else if (typeof value["blob"] === "string") blobs.set(value["blob"], String(value["text"]));
    else if ("q" in value) {
      const step = stepOf(value, log.last > 0 ? log.last : undefined);
      log.take({ ...step, s: states[step.s] ?? log.stateOf([]) }, keyframe);
    } else throw new Error("it is nothing of a run");
  });
  const cut =
    notice ?? (log.last < row.steps ? `The file ends after step ${log.last} of ${row.steps}.` : undefined);
  const told = chart || row.chart === own.hash ? cut : [cut, NO_CHART].filter(Boolean).join(" ");
  return {
    ...(chart && { chart: { hash: row.chart, chart: chart.chart } }),
    run: {
      row: { ...row, steps: log.last, ...(told && { notice: told }) },
      pending: [],
      log,
      blob: (sha) => blobs.get(sha),
      blobs: () => blobs,
    },
  };
}

function rowIn(path: string, { row }: JsonObject): RunRow {
  try {
    return rowOf(row);
  } catch (error) {
    throw new AgentError("session/damaged", `${path}: ${messageOf(error)}`, { cause: error });
  }
}

function openSessionFile(header: JsonObject, lines: readonly string[], own: KnownChart): FileRun {
  const { sessionId, seq } = header;
  const folded = new FoldedRun(String(sessionId), own.chart);
  let position: JsonObject | undefined;
  const notice = takeLines(lines, (value) => {
    if (value["entry"]) folded.take(value["entry"] as unknown as JournalEntry);
    else if (value["end"]) position = (value["end"] as JsonObject)["position"] as JsonObject;
    else if (!value["input"]) throw new Error("it is nothing of a session");
  });
  const cut = notice ?? (position ? undefined : `The file ends after entry ${folded.seq} of ${String(seq)}.`);
  const { phase, waitsFor } = position ? readPosition(position) : {};
  const row = folded.row({
    source: "file",
    chart: own.hash,
    ...(phase && { phase }),
    ...(waitsFor && { waitsFor }),
    ...(cut && { notice: cut }),
  });
  const { exceeded } = folded;
  return {
    chart: own,
    run: {
      row,
      pending: folded.pending(row.phase),
      ...(exceeded !== "" && { exceeded }),
      log: folded.log,
      blob: (sha) => folded.blob(sha),
      blobs: () => folded.blobs(),
    },
  };
}
