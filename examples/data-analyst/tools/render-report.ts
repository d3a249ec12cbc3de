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

const WORDS = {
  en: {
    sql: "SQL of this figure",
    more: (shown: number, all: number) => `The first ${shown} of ${all} rows.`,
    none: "No rows.",
    from: "Data:",
    plan: "Plan",
    states: { todo: "to do", in_progress: "in progress", done: "done", abandoned: "abandoned" },
    synthetic:
      "The data are synthetic: a seeded script (examples/data-analyst/make-orders.ts) made them, and no real shop, customer or order is behind them.",
  },
  zh: {
    sql: "本图表所用的 SQL",
    more: (shown: number, all: number) => `仅显示 ${all} 行中的前 ${shown} 行。`,
    none: "没有数据行。",
    from: "数据来源：",
    plan: "计划",
    states: { todo: "待办", in_progress: "进行中", done: "已完成", abandoned: "已放弃" },
    synthetic:
      "数据为合成数据（synthetic）：由带固定种子的脚本 examples/data-analyst/make-orders.ts 生成，不对应任何真实的店铺、客户或订单。",
  },
};

function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
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

type Words = (typeof WORDS)["en"];

function renderTable({ columns, rows }: KeptResult, words: Words): string {
  if (rows.length === 0) return `<p>${words.none}</p>`;
  const isNumber = columns.map((_, index) => rows.every((row) => typeof (row[index] ?? 0) === "number"));
  const head = columns
    .map((name, index) => `<th${isNumber[index] ? ' class="number"' : ""}>${escapeHtml(name)}</th>`)
    .join("");
  const body = rows
    .slice(0, ROWS_SHOWN)
    .map(
      (row) => `<tr>${row.map((cell, index) => renderCell(cell, isNumber[index] === true)).join("")}</tr>`,
    );
  const more = rows.length > ROWS_SHOWN ? `<p>${words.more(ROWS_SHOWN, rows.length)}</p>` : "";
  return `<div class="table"><table><thead><tr>${head}</tr></thead><tbody>\n${body.join("\n")}\n</tbody></table></div>${more}`;
}

function renderSource({ sql, derivation }: KeptResult, words: Words): string {
  const how = derivation === undefined ? "" : `<p>${escapeHtml(derivation)}</p>`;
  return `<details><summary>${words.sql}</summary>${how}<pre>${escapeHtml(sql)}</pre></details>`;
}

function renderSection({ heading, text, chart, result }: ReportSection, words: Words): string {
  return [
    `<section><h2>${escapeHtml(heading)}</h2>`,
    ...(text === undefined ? [] : [renderText(text)]),
    ...(chart
      ? [
          `<figure role="img" aria-label="${escapeHtml(chart.title)}">${chart.svg}</figure>`,
          renderSource(chart.result, words),
        ]
      : []),
    ...(result ? [renderTable(result, words), renderSource(result, words)] : []),
    "</section>",
  ].join("\n");
}

function renderPlan({ name, subtasks }: Plan, words: Words): string {
  const items = subtasks.map(({ name: step, state, outcome }) => {
    const what = `${escapeHtml(step)} <strong>${words.states[state]}</strong>`;
    return `<li>${what}${outcome === null ? "" : `<br>${escapeHtml(outcome)}`}</li>`;
  });
  return `<section><h2>${words.plan}</h2>\n<p>${escapeHtml(name)}</p>\n<ol>${items.join("\n")}</ol></section>`;
}

/** The report as one HTML page that needs nothing else. All text is escaped; the footer says so if the data are
 *  synthetic; in Chinese if the title is. */
export function renderReport({ title, database, synthetic, sections, plan }: Report): string {
  const language = /\p{Script=Han}/u.test(title) ? "zh" : "en";
  const words = WORDS[language];
  const footer = `${words.from} ${escapeHtml(database)}.${synthetic ? ` ${words.synthetic}` : ""}`;
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
${sections.map((section) => renderSection(section, words)).join("\n")}${plan ? `\n${renderPlan(plan, words)}` : ""}
</main>
<footer>${footer}</footer>
</body>
</html>
`;
}
