import type { Plan } from "agentchart/plan";
import type { Cell } from "../sql/cell.ts";
import { REPORT_STYLE } from "./report-style.ts";
import type { KeptChart, KeptResult } from "./workbench.ts";

export type ReportSection = {
  readonly heading: string;
  readonly text?: string;
  readonly chart?: KeptChart;
  readonly result?: KeptResult;
};

export type Report = {
  readonly title: string;
  readonly database: string;
  readonly synthetic: boolean;
  readonly sections: readonly ReportSection[];
  /** The plan that the report is a part of. */
  readonly plan: Plan | null;
};

const ROWS_SHOWN = 100;
/** No script, nothing from outside, nowhere to send a form. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const STATES = { todo: "to do", in_progress: "in progress", done: "done", abandoned: "abandoned" };
const SYNTHETIC =
  "The data are synthetic: a seeded script (examples/data-analyst/make-orders.ts) made them, and no real shop, customer or order is behind them.";

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function renderText(text: string): string {
  const blocks: string[] = [];
  for (const line of text.split("\n").filter((candidate) => candidate.trim() !== "")) {
    const item = /^\s*[-*] (.*)$/.exec(line)?.[1];
    if (item === undefined) blocks.push(`<p>${escapeHtml(line)}</p>`);
    else if (blocks.at(-1)?.endsWith("</ul>"))
      blocks.push(blocks.pop()!.replace(/<\/ul>$/, `<li>${escapeHtml(item)}</li></ul>`));
    else blocks.push(`<ul><li>${escapeHtml(item)}</li></ul>`);
  }
  return blocks.join("\n");
}

const number = new Intl.NumberFormat("en", { maximumFractionDigits: 20 });

function renderCell(cell: Cell, isNumber: boolean): string {
  if (cell === null) return `<td${isNumber ? ' class="number"' : ""}>–</td>`;
  return typeof cell === "number"
    ? `<td class="number">${number.format(cell)}</td>`
    : `<td>${escapeHtml(cell)}</td>`;
}

function renderTable({ columns, rows }: KeptResult): string {
  if (rows.length === 0) return `<p>No rows.</p>`;
  const isNumber = columns.map((_, index) => rows.every((row) => typeof (row[index] ?? 0) === "number"));
  const head = columns
    .map((name, index) => `<th${isNumber[index] ? ' class="number"' : ""}>${escapeHtml(name)}</th>`)
    .join("");
  const body = rows
    .slice(0, ROWS_SHOWN)
    .map(
      (row) => `<tr>${row.map((cell, index) => renderCell(cell, isNumber[index] === true)).join("")}</tr>`,
    );
  const more = rows.length > ROWS_SHOWN ? `<p>The first ${ROWS_SHOWN} of ${rows.length} rows.</p>` : "";
  return `<div class="table"><table><thead><tr>${head}</tr></thead><tbody>\n${body.join("\n")}\n</tbody></table></div>${more}`;
}

function renderSource({ sql, derivation }: KeptResult): string {
  const how = derivation === undefined ? "" : `<p>${escapeHtml(derivation)}</p>`;
  return `<details><summary>SQL of this figure</summary>${how}<pre>${escapeHtml(sql)}</pre></details>`;
}

function renderSection({ heading, text, chart, result }: ReportSection): string {
  return [
    `<section><h2>${escapeHtml(heading)}</h2>`,
    ...(text === undefined ? [] : [renderText(text)]),
    ...(chart
      ? [
          `<figure role="img" aria-label="${escapeHtml(chart.title)}">${chart.svg}</figure>`,
          renderSource(chart.result),
        ]
      : []),
    ...(result ? [renderTable(result), renderSource(result)] : []),
    "</section>",
  ].join("\n");
}

function renderPlan({ name, subtasks }: Plan): string {
  const items = subtasks.map(({ name: step, state, outcome }) => {
    const what = `${escapeHtml(step)} <strong>${STATES[state]}</strong>`;
    return `<li>${what}${outcome === null ? "" : `<br>${escapeHtml(outcome)}`}</li>`;
  });
  return `<section><h2>Plan</h2>\n<p>${escapeHtml(name)}</p>\n<ol>${items.join("\n")}</ol></section>`;
}

/** The report as one HTML page that needs nothing else. All text is escaped; the footer says so if the data are synthetic. */
export function renderReport({ title, database, synthetic, sections, plan }: Report): string {
  const language = /\p{Script=Han}/u.test(title) ? "zh" : "en";
  const footer = `Data: ${escapeHtml(database)}.${synthetic ? ` ${SYNTHETIC}` : ""}`;
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${REPORT_STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${sections.map(renderSection).join("\n")}${plan ? `\n${renderPlan(plan)}` : ""}
</main>
<footer>${footer}</footer>
</body>
</html>
`;
}
