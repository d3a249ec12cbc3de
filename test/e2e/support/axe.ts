import axe from "axe-core";
import type { Page } from "playwright-core";
import { settled } from "./settled.ts";

/**
 * Returns the rules of axe that a page, or the part of it that matches a selector, violates, each with the
 * element; target sizes are checked too.
 */
export async function accessibilityProblems(page: Page, part?: string): Promise<string[]> {
  await settled(page);
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axe.source);
  return page.evaluate(`axe.run(${JSON.stringify(part) ?? "document"}, { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) =>
      [id, html.slice(0, 200), failureSummary].join("\\n"))))`);
}
