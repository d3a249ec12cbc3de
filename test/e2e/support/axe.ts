import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const SOURCE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds wrong in a page: each rule with the elements that break it. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(SOURCE);
  return page.evaluate(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) =>
      [id, html.slice(0, 200), failureSummary].join("\\n"))))`);
}
