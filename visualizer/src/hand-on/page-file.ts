import { isObject } from "../../../src/core/base/json.ts";
import type { JsonObject, Layouts } from "../wire/types.ts";
import { t } from "../words/t.ts";

/** The place of the run in the template of the page. */
const PLACE = "<!--run-->";
/** The id of the element that holds a run. */
export const RUN_ELEMENT = "embedded-run";

/** A run that is a part of its page: the lines of its file, its name, and the step to show; null: the newest. */
export type EmbeddedRun = { readonly name: string; readonly text: string; readonly step: number | null };

/** Puts the layouts of a chart into the lines of an exported run, because a page without a server cannot make them. */
export function withLayouts(lines: string, layouts: Layouts | null | undefined): string {
  if (!layouts) return lines;
  return lines
    .split("\n")
    .map((line) => {
      if (!line.startsWith('{"chart":')) return line;
      const record = JSON.parse(line) as JsonObject;
      return isObject(record["chart"]) ? JSON.stringify({ ...record, layouts }) : line;
    })
    .join("\n");
}

const attribute = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/**
 * Returns a page as one HTML file that shows a run at a step. The run is data, in which no tag can begin: in JSON, "<" stands in strings
 * only, and is escaped. Throws if the template has no place for a run.
 */
export function pageFile(template: string, { name, text, step }: EmbeddedRun): string {
  const at = template.indexOf(PLACE);
  if (at < 0) throw new Error(t("The page that is handed on is not built: run npm run build:page."));
  const data = text.replaceAll("<", "\\u003c");
  const attributes = `id="${RUN_ELEMENT}" data-name="${attribute(name)}"${step === null ? "" : ` data-step="${step}"`}`;
  const element = `<script type="application/x-ndjson" ${attributes}>${data}</script>`;
  return template.slice(0, at) + element + template.slice(at + PLACE.length);
}

/** The run in this page; undefined in the page of a server. */
export function embeddedRun(): EmbeddedRun | undefined {
  const element = document.getElementById(RUN_ELEMENT);
  if (!element) return undefined;
  const { name = "run", step } = element.dataset;
  return { name, text: element.textContent, step: step === undefined ? null : Number(step) };
}
