import { AgentError, configError, messageOf, type AgentErrorOptions } from "../../core/base/error.ts";
import type { Json } from "../../core/base/json.ts";
import { problemOf } from "../../core/base/options.ts";
import { textOf } from "../../core/message/msg.ts";
import { LabelReader } from "../../inspect/labels/labels.ts";
import { openSession } from "../../session/open-session.ts";
import type { SessionStore } from "../../store/port.ts";
import { caseSchema } from "./evaluate.ts";
import { linesOf } from "./lines.ts";
import type { EvalCase } from "./types.ts";

/** Reads the cases of a file, each with the line that it is in. */
class CaseReader {
  readonly #from: string;
  /** The lines of the names. */
  readonly #lines = new Map<string, number>();

  constructor(from: string) {
    this.#from = from;
  }

  /** Returns the error about a line. */
  refuse(line: number, problem: string, options?: AgentErrorOptions): AgentError {
    return configError(`${this.#from}, line ${line}: ${problem}`, options);
  }

  read(value: unknown, line: number): EvalCase {
    const problem = problemOf(caseSchema(), value);
    if (problem !== undefined) throw this.refuse(line, problem);
    const of = value as EvalCase;
    const before = this.#lines.get(of.name);
    if (before !== undefined)
      throw this.refuse(line, `the case of line ${before} is named '${of.name}' too.`);
    this.#lines.set(of.name, line);
    return of;
  }
}

/**
 * Returns the cases of a text in JSON Lines: an object `{ name, input, expected, meta }` a line; empty lines are left out. Throws
 * `config/invalid` with the line that is wrong or has the name of another one; `from` names the file.
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
  const reader = new CaseReader(from);
  return linesOf(text).map(({ line, number }) => {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (cause) {
      throw reader.refuse(number, messageOf(cause), { cause });
    }
    return reader.read(value, number);
  });
}

/**
 * Returns the cases of a text in CSV, whose first line names the columns: `name`, `input` and `expected`; others are `meta`. `expected` is a
 * text; a blank field expects nothing. Needs the package `csv-parse`. Rejects `config/invalid` with the line that is wrong or has the name of
 * another one, and without the package.
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
    throw configError('CSV needs the package "csv-parse": run "npm install csv-parse".', { cause });
  });
  let rows: readonly Row[];
  try {
    const columns = (header: readonly string[]): string[] => columnsOf(header, from);
    rows = parse(text, { columns, bom: true, skip_empty_lines: true, info: true });
  } catch (cause) {
    if (AgentError.is(cause)) throw cause;
    throw configError(`${from}: ${messageOf(cause)}`, { cause });
  }
  const reader = new CaseReader(from);
  return rows.map(({ record, info }) => {
    const { name, input, expected, ...meta } = record;
    const rest = Object.keys(meta).length > 0 && { meta };
    const wanted = expected !== undefined && expected !== "" && { expected };
    return reader.read({ name, input, ...wanted, ...rest }, info.lines);
  });
}

/** The names of the columns. Throws `config/invalid` without those that each case has, and for one that is there twice. */
function columnsOf(header: readonly string[], from: string): string[] {
  const names = header.map((name) => name.trim());
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice !== undefined) throw configError(`${from}, line 1: two columns are named '${twice}'.`);
  if (!names.includes("name"))
    throw configError(
      `${from}, line 1: expected the columns name, input and expected, separated by commas; got ${header.join(", ")}.`,
    );
  return names;
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
    const input = messages
      .filter(({ role, addedBy }) => role === "user" && addedBy === undefined)
      .map(textOf);
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
