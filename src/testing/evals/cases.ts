import { AgentError, messageOf } from "../../core/base/error.ts";
import type { Json } from "../../core/base/json.ts";
import { problemOf } from "../../core/base/options.ts";
import { textOf } from "../../core/message/query.ts";
import { LabelReader } from "../../inspect/labels/labels.ts";
import { openSession } from "../../session/open-session.ts";
import type { SessionStore } from "../../store/port.ts";
import { caseSchema } from "./evaluate.ts";
import type { EvalCase } from "./types.ts";

const invalid = (message: string, cause?: unknown): AgentError =>
  new AgentError("config/invalid", message, { cause });

/** A case from a file, with the line that it is in. */
function caseOf(value: unknown, place: string): EvalCase {
  const problem = problemOf(caseSchema(), value);
  if (problem !== undefined) throw invalid(`${place}: ${problem}`);
  return value as EvalCase;
}

/**
 * Returns the cases of a text in JSON Lines: an object `{ name, input, expected, meta }` a line; empty lines are left out. Throws
 * `config/invalid` with the line that is wrong; `from` names the file.
 *
 * @example
 * ```ts
 * import { readFileSync } from "node:fs";
 * import { casesOfJsonLines } from "agentchart/evals";
 *
 * export const cases = () => casesOfJsonLines(readFileSync("cases.jsonl", "utf8"), "cases.jsonl");
 * ```
 */
export function casesOfJsonLines(text: string, from = "cases"): readonly EvalCase[] {
  return text.split(/\r?\n/).flatMap((line, at) => {
    if (line.trim() === "") return [];
    const place = `${from}, line ${at + 1}`;
    try {
      return [caseOf(JSON.parse(line), place)];
    } catch (cause) {
      if (AgentError.is(cause)) throw cause;
      throw invalid(`${place}: ${messageOf(cause)}`, cause);
    }
  });
}

/**
 * Returns the cases of a text in CSV, whose first line names the columns: `name`, `input` and `expected`; others are `meta`. `expected` is a
 * text. Needs the package `csv-parse`. Rejects `config/invalid` with the line that is wrong, and without the package.
 *
 * @example
 * ```ts
 * import { readFileSync } from "node:fs";
 * import { casesOfCsv } from "agentchart/evals";
 *
 * export const cases = () => casesOfCsv(readFileSync("cases.csv", "utf8"), "cases.csv");
 * ```
 */
export async function casesOfCsv(text: string, from = "cases"): Promise<readonly EvalCase[]> {
  const { parse } = await import("csv-parse/sync").catch((cause: unknown) => {
    throw invalid('CSV needs the package "csv-parse": run "npm install csv-parse".', cause);
  });
  let rows: readonly Row[];
  try {
    rows = parse(text, { columns: true, bom: true, skip_empty_lines: true, info: true });
  } catch (cause) {
    throw invalid(`${from}: ${messageOf(cause)}`, cause);
  }
  return rows.map(({ record, info }) => {
    const { name, input, expected, ...meta } = record;
    const rest = Object.keys(meta).length > 0 && { meta };
    return caseOf(
      { name, input, ...(expected !== undefined && { expected }), ...rest },
      `${from}, line ${info.lines}`,
    );
  });
}

type Row = {
  readonly record: { readonly [column: string]: string };
  readonly info: { readonly lines: number };
};

/**
 * Returns a case of each stored session: what its user said, and its last answer as what is expected. Rejects `session/not-found`.
 *
 * @example
 * ```ts
 * import { casesOfSessions } from "agentchart/evals";
 * import { fileStore } from "agentchart/store/file";
 *
 * export const cases = () => casesOfSessions(fileStore({ dir: "./sessions" }), ["trip", "refund-17"]);
 * ```
 */
export async function casesOfSessions(
  store: SessionStore,
  sessionIds: readonly string[],
): Promise<readonly EvalCase[]> {
  const cases: EvalCase[] = [];
  for (const sessionId of sessionIds) {
    const session = await openSession(store, sessionId);
    const { messages } = await session.at();
    const input = messages.filter(({ role }) => role === "user").map(textOf);
    const answer = messages.findLast((message) => message.role === "assistant" && textOf(message) !== "");
    cases.push({ name: sessionId, input, ...(answer && { expected: textOf(answer) as Json }) });
  }
  return cases;
}

/**
 * Returns a case of each stored session that people have labelled, by its newest label. What is expected is the answer that they gave, else the last
 * answer of a session that is right; of one that is wrong nothing. `meta` has the label, the note, and who gave it. `label` takes only those.
 *
 * @example
 * ```ts
 * import { casesOfLabels } from "agentchart/evals";
 * import { fileStore } from "agentchart/store/file";
 *
 * export const cases = () => casesOfLabels(fileStore({ dir: "./sessions" }), "right");
 * ```
 */
export async function casesOfLabels(
  store: SessionStore,
  label?: "right" | "wrong",
): Promise<readonly EvalCase[]> {
  const cases: EvalCase[] = [];
  for (const [sessionId, { label: given, by, note, expected: own }] of await new LabelReader(
    store,
  ).newest()) {
    if (label !== undefined && given !== label) continue;
    if (!(await store.load(sessionId))) continue; // it was deleted
    const [{ expected, ...stored } = { name: sessionId }] = await casesOfSessions(store, [sessionId]);
    const wanted = own ?? (given === "right" ? expected : undefined);
    const meta = { label: given, by, ...(note !== undefined && { note }) };
    cases.push({ ...stored, ...(wanted !== undefined && { expected: wanted }), meta });
  }
  return cases;
}
