import { defineTool, type Tool } from "agentchart";
import { z } from "zod";
import type { Cell } from "../sql/cell.ts";
import { METRICS, statisticsOf, type Metric } from "./statistics.ts";
import { columnIndex, type KeptResult, type Workbench } from "./workbench.ts";

const GROUPS_SHOWN = 50;

function numbersOf(result: KeptResult, column: string, cells: readonly Cell[]): number[] {
  const values = cells.filter((cell) => cell !== null);
  const text = values.find((cell) => typeof cell !== "number");
  if (text === undefined) return values as number[];
  throw new Error(
    `Column "${column}" of result ${result.id} holds text such as ${JSON.stringify(text.slice(0, 40))}; statistics need numbers. Use another column, or CAST it in the query.`,
  );
}

function groupCells(result: KeptResult, valueAt: number, groupAt: number): Map<Cell, Cell[]> {
  const groups = new Map<Cell, Cell[]>();
  for (const row of result.rows) {
    const group = row[groupAt] ?? null;
    const cells = groups.get(group);
    if (cells) cells.push(row[valueAt] ?? null);
    else groups.set(group, [row[valueAt] ?? null]);
  }
  return groups;
}

export function calculateStatistics(bench: Workbench): Tool {
  return defineTool({
    name: "calculate_statistics",
    description:
      "Computes metrics of a numeric column over all rows of a kept result, or per value of groupBy. Missing values are left out. stddev is that of a sample. What it computes is a kept result too.",
    input: z.object({
      resultId: z.string(),
      column: z.string(),
      metrics: z.array(z.enum(METRICS)).min(1),
      groupBy: z.string().optional(),
    }),
    idempotent: true,
    execute({ resultId, column, metrics, groupBy }) {
      const source = bench.result(resultId);
      const valueAt = columnIndex(source, column);
      const wanted: Metric[] = [...new Set(metrics)];
      const compute = (cells: readonly Cell[]): Record<string, number | null> =>
        statisticsOf(numbersOf(source, column, cells), wanted);
      const keep = (columns: readonly string[], rows: readonly Cell[][], by: string): string =>
        bench.keepResult({
          columns,
          rows,
          sql: source.sql,
          derivation: `${wanted.join(", ")} of ${column}${by}`,
        }).id;
      if (groupBy === undefined) {
        const statistics = compute(source.rows.map((row) => row[valueAt] ?? null));
        return {
          resultId: keep(wanted, [Object.values(statistics)], ""),
          column,
          rowCount: source.rows.length,
          statistics,
        };
      }
      const groups = [...groupCells(source, valueAt, columnIndex(source, groupBy))].map(
        ([group, cells]) => [group, ...Object.values(compute(cells))] satisfies Cell[],
      );
      const columns = [groupBy, ...wanted];
      const id = keep(columns, groups, ` by ${groupBy}`);
      return { resultId: id, columns, rowCount: groups.length, rows: groups.slice(0, GROUPS_SHOWN) };
    },
  });
}
