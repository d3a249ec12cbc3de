import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineTool, type Tool } from "agentchart";
import { planSlot } from "agentchart/plan";
import { z } from "zod";
import type { AnalystDatabase } from "./analyst-tools.ts";
import { renderReport } from "./render-report.ts";
import type { Workbench } from "./workbench.ts";

const LONGEST_NAME = 60;
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/** A file name made of a title: letters, digits and `-`, never a path and never a name that Windows reserves. */
function reportName(title: string): string {
  const slug = title
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .slice(0, LONGEST_NAME)
    .replaceAll(/^-+|-+$/g, "");
  return slug === "" || RESERVED.test(slug) ? `report${slug === "" ? "" : `-${slug}`}` : slug;
}

/** Writes to a name that was free; never over a file that is there. */
function writeNew(folder: string, name: string, text: string): string {
  mkdirSync(folder, { recursive: true });
  for (let n = 1; ; n++) {
    const path = join(folder, `${name}${n === 1 ? "" : `-${n}`}.html`);
    try {
      writeFileSync(path, text, { flag: "wx" });
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

export function createReport(database: AnalystDatabase, outDir: string, bench: Workbench): Tool {
  return defineTool({
    name: "create_report",
    description:
      "Writes one self-contained HTML file from sections of text, charts and tables, each with the SQL it came from. It shows the current plan, too. Lines of text that start with '- ' become a list.",
    input: z.object({
      title: z.string().min(1),
      sections: z
        .array(
          z.object({
            heading: z.string(),
            text: z.string().optional(),
            chartId: z.string().optional(),
            resultId: z.string().optional(),
          }),
        )
        .min(1),
    }),
    execute({ title, sections }, { slots }) {
      const html = renderReport({
        title,
        database: database.name,
        synthetic: database.synthetic,
        plan: slots.get(planSlot),
        sections: sections.map(({ heading, text, chartId, resultId }) => ({
          heading,
          ...(text !== undefined && { text }),
          ...(chartId !== undefined && { chart: bench.chart(chartId) }),
          ...(resultId !== undefined && { result: bench.result(resultId) }),
        })),
      });
      const path = writeNew(outDir, reportName(title), html);
      return { path, sections: sections.length, bytes: Buffer.byteLength(html) };
    },
  });
}
