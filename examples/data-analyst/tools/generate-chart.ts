import { defineTool, type Tool } from "agentchart";
import { z } from "zod";
import { CHART_TYPES, drawChart, type ChartPoint } from "./draw-chart.ts";
import { columnIndex, type Workbench } from "./workbench.ts";

const MOST_POINTS = { bar: 60, line: 1000 } as const;

export function generateChart(bench: Workbench): Tool {
  return defineTool({
    name: "generate_chart",
    description: `Draws a column of a kept result over another one as SVG and keeps it under a chartId for create_report. At most ${MOST_POINTS.bar} bars, ${MOST_POINTS.line} points of a line.`,
    input: z.object({
      resultId: z.string(),
      type: z.enum(CHART_TYPES),
      x: z.string().describe("Column of the labels"),
      y: z.string().describe("Column of the numbers"),
      title: z.string(),
    }),
    idempotent: true,
    async execute({ resultId, type, x, y, title }) {
      const result = bench.result(resultId);
      const [labelAt, valueAt] = [columnIndex(result, x), columnIndex(result, y)];
      const { rows } = result;
      if (rows.length === 0) throw new Error(`Result ${resultId} has no rows to draw.`);
      if (rows.length > MOST_POINTS[type]) {
        throw new Error(
          `Result ${resultId} has ${rows.length} rows, more than a ${type} chart can show (${MOST_POINTS[type]}). Query fewer, for example with LIMIT.`,
        );
      }
      const points = rows.map((row): ChartPoint => {
        const value = row[valueAt] ?? null;
        if (typeof value === "string")
          throw new Error(
            `Column "${y}" holds text such as ${JSON.stringify(value.slice(0, 40))}, not numbers.`,
          );
        return { label: String(row[labelAt] ?? "–"), value };
      });
      const svg = await drawChart({ type, title, xName: x, yName: y, points });
      const { id } = bench.keepChart({ title, svg, result });
      return { chartId: id, type, title, points: points.length };
    },
  });
}
