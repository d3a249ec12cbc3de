import type { CliIo } from "./cli-io.ts";
import { oneLine, withoutControls } from "./terminal.ts";

const MAX_WIDTH = 60;
const MAX_LAST_WIDTH = 200;

type Flags = { readonly json: boolean };

/** True if a command prints JSON: outside a terminal, and with `--json`. */
export function printsJson({ stdout }: CliIo, { json }: Flags): boolean {
  return json || !stdout.isTTY;
}

/** Prints a report on stdout: its text on a terminal, otherwise the report as JSON. */
export function printReport<T extends object>(
  io: CliIo,
  flags: Flags,
  report: T,
  textOf: (report: T) => string,
): void {
  const text = printsJson(io, flags) ? JSON.stringify(report) : withoutControls(textOf(report)).trimEnd();
  io.stdout.write(`${text}\n`);
}

/** Prints a result on stdout: the line on a terminal, otherwise the object as JSON. */
export function printResult(io: CliIo, flags: Flags, line: string, result: object): void {
  printReport(io, flags, result, () => oneLine(line, Number.POSITIVE_INFINITY));
}

/** Prints items on stdout: a table on a terminal, or `none` without an item; otherwise one JSON object per line. */
export async function printItems<T>(
  io: CliIo,
  flags: Flags,
  items: AsyncIterable<T> | Iterable<T>,
  head: readonly string[],
  rowOf: (item: T) => readonly string[],
  none: string,
): Promise<void> {
  const isJson = printsJson(io, flags);
  const rows: (readonly string[])[] = [];
  for await (const item of items) {
    if (isJson) io.stdout.write(`${JSON.stringify(item)}\n`);
    else rows.push(rowOf(item));
  }
  io.stdout.write(table(head, rows));
  if (rows.length === 0 && !isJson) io.terminal.note(none);
}

/** Rows below a head; nothing without rows. A column is as wide as its widest cell, at most 60 characters; the last one at most 200. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const last = head.length - 1;
  const lines = [head, ...rows].map((row) =>
    row.map((cell, column) => oneLine(cell, column === last ? MAX_LAST_WIDTH : MAX_WIDTH)),
  );
  const widths = head.map((_, column) =>
    lines.reduce((most, line) => Math.max(most, widthOf(line[column] ?? "")), 0),
  );
  const padded = (cell: string, column: number): string =>
    column === last ? cell : cell + " ".repeat(widths[column]! - widthOf(cell));
  return lines.map((line) => `${line.map(padded).join("  ").trimEnd()}\n`).join("");
}

function widthOf(text: string): number {
  return Array.from(text).length;
}

/** A timestamp in ms as sortable UTC, such as "2026-01-02 03:04:05Z". */
export function formatTime(timestamp: number): string {
  return `${new Date(timestamp).toISOString().slice(0, 19).replace("T", " ")}Z`;
}

/** A share in percent, such as "12.5 %". */
export const percent = (share: number): string => `${Math.round(share * 1_000) / 10} %`;

/** A cost in dollars, if it is known. */
export const dollars = (cost: number | undefined): string =>
  cost === undefined ? "unknown" : `$${cost.toFixed(4)}`;
