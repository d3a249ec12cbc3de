import { readFile } from "node:fs/promises";
import { AgentError, messageOf } from "../../core/base/error.ts";
import { PROTOCOL, type RunRow } from "../protocol/protocol.ts";
import { parseChart, parseRecord, parseRow, parseStates, parseStep } from "../protocol/parse-run-file.ts";
import { parsedJson, isObject, type JsonObject } from "../../core/base/json.ts";
import { readPosition } from "../../store/shared.ts";
import type { JournalEntry } from "../../store/port.ts";
import type { ChartVersion } from "../protocol/chart-version.ts";
import { ownChart } from "../client/own-chart.ts";
import type { OpenRun } from "./open-run.ts";
import { RunLog } from "./run-log.ts";
import { newJournalRun } from "./store-runs.ts";

/** A run from a file, and its chart if the file contains it. */
export type FileRun = { readonly run: OpenRun; readonly chart?: ChartVersion };

/**
 * Opens an exported run, or a session exported by `agentchart sessions export`. Without a chart in the file the
 * run is displayed on that of this release if it is the same, else without a chart, as the row's `notice` says. A file
 * that is cut off or damaged is opened up to its last valid line; the row's `notice` names the first invalid
 * one. Rejects `session/damaged` for any other file, `session/version` for a file of another release, and
 * `store/failed` if the file cannot be read.
 */
export async function openFile(path: string): Promise<FileRun> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new AgentError("store/failed", `${path} cannot be read: ${messageOf(error)}`, { cause: error });
  });
  const lines = text.split("\n");
  const header = parseObject(lines[0]!);
  if (header?.["agentchartRun"] !== undefined) return openRunFile(path, header, lines);
  if (header?.["format"] === "agentchart.session") return openSessionFile(header, lines);
  throw new AgentError(
    "session/damaged",
    `${path} is neither an exported run nor an exported session: its first line is not a known header.`,
  );
}

function parseObject(line: string): JsonObject | undefined {
  const value = parsedJson(line);
  return typeof value === "object" && value !== null ? (value as JsonObject) : undefined;
}

const NO_CHART =
  "The file does not contain its chart, and this release has another one: the run is shown without a chart.";

function noticeOf(number: number, problem: string): string {
  return `Opened to line ${number - 1}: line ${number} ${problem}.`;
}

/** Passes each line to `add` until one is invalid, and returns a notice about that line. */
function readLines(lines: readonly string[], add: (value: JsonObject) => void): string | undefined {
  for (const [index, line] of lines.entries()) {
    if (index === 0 || (line === "" && index === lines.length - 1)) continue;
    if (!parseObject(line))
      return noticeOf(index + 1, index === lines.length - 1 ? "is cut off" : "is not a JSON object");
    try {
      add(parseRecord(line));
    } catch (error) {
      return noticeOf(index + 1, `cannot be read (${messageOf(error)})`);
    }
  }
  return undefined;
}

async function openRunFile(path: string, header: JsonObject, lines: readonly string[]): Promise<FileRun> {
  if (header["agentchartRun"] !== PROTOCOL)
    throw new AgentError(
      "session/version",
      `${path} was written by another release; this one reads format ${PROTOCOL}.`,
    );
  const row = rowIn(path, header);
  const log = new RunLog(row.runId, Number.POSITIVE_INFINITY);
  const blobs = new Map<string, string>();
  const states: number[] = [];
  let chart: ChartVersion | undefined;
  let keyframe: JsonObject | undefined;
  const notice = readLines(lines, (value) => {
    if (isObject(value["chart"])) chart = parseChart(value, row.chart);
    else if (Array.isArray(value["state"])) states.push(log.stateOf(parseStates(value["state"])));
    else if (isObject(value["keyframe"])) keyframe = value["keyframe"];
    else if (typeof value["blob"] === "string") blobs.set(value["blob"], String(value["text"]));
    else if ("q" in value) {
      const step = parseStep(value, log.last > 0 ? log.last : undefined);
      log.add({ ...step, s: states[step.s] ?? log.stateOf([]) }, keyframe);
    } else throw new Error("it is not a part of a run");
  });
  const cut =
    notice ?? (log.last < row.steps ? `The file ends after step ${log.last} of ${row.steps}.` : undefined);
  const text =
    chart || row.chart === (await ownChart()).hash ? cut : [cut, NO_CHART].filter(Boolean).join(" ");
  return {
    ...(chart && { chart: { hash: row.chart, chart: chart.chart } }),
    run: {
      row: { ...row, steps: log.last, ...(text && { notice: text }) },
      pending: [],
      log,
      blob: (sha) => blobs.get(sha),
      blobs: () => blobs,
    },
  };
}

function rowIn(path: string, { row }: JsonObject): RunRow {
  try {
    return parseRow(row);
  } catch (error) {
    throw new AgentError("session/damaged", `${path}: ${messageOf(error)}`, { cause: error });
  }
}

async function openSessionFile(header: JsonObject, lines: readonly string[]): Promise<FileRun> {
  const { sessionId, seq } = header;
  const own = await ownChart();
  const journal = await newJournalRun(String(sessionId));
  let position: JsonObject | undefined;
  let notice = readLines(lines, (value) => {
    if (value["entry"]) journal.add(value["entry"] as unknown as JournalEntry);
    else if (value["end"]) position = (value["end"] as JsonObject)["position"] as JsonObject;
    else if (!value["input"]) throw new Error("it is not a part of a session");
  });
  try {
    journal.settle();
  } catch (error) {
    notice ??= `Its last append cannot be read (${messageOf(error)}).`;
  }
  const cut =
    notice ?? (position ? undefined : `The file ends after entry ${journal.seq} of ${String(seq)}.`);
  const { phase, waitsFor } = position ? readPosition(position) : {};
  const run = journal.opened({
    source: "file",
    chart: own.hash,
    ...(phase && { phase }),
    ...(waitsFor && { waitsFor }),
    ...(cut && { notice: cut }),
  });
  return { chart: own, run };
}
