import axe from "axe-core";
import type { Page } from "playwright-core";

/** What axe finds wrong in a page: each rule with the elements that break it. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) =>
      [id, html.slice(0, 200), failureSummary].join("\\n"))))`);
}
