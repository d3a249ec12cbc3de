import { oneLine } from "./terminal.ts";

const WIDEST = 60;

/** Rows under a head, in columns as wide as their widest cell, at most 60; the last column takes what it needs, up to 200. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const last = head.length - 1;
  const lines = [head, ...rows].map((row) =>
    row.map((cell, column) => oneLine(cell, column === last ? 200 : WIDEST)),
  );
  const widths = head.map((_, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? ""))));
  const padded = (cell: string, column: number): string =>
    column === last ? cell : cell + " ".repeat(widths[column]! - widthOf(cell));
  return lines.map((line) => `${line.map(padded).join("  ").trimEnd()}\n`).join("");
}

function widthOf(text: string): number {
  return Array.from(text).length;
}

/** An instant as people and programs sort it. */
export function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")}Z`;
}
