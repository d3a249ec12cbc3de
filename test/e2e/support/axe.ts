import axe from "axe-core";
import type { Page } from "playwright-core";
import { settled } from "./settled.ts";

const ALL_RULES = `rules: { "target-size": { enabled: true } }`;
/** The rules whose outcome depends on colors. */
export const COLOR_RULES = `runOnly: ["color-contrast", "link-in-text-block"]`;

/**
 * Returns the rules of axe that a page, or the part of it that matches a selector, violates, each with the
 * element; target sizes are checked too.
 */
export async function accessibilityProblems(page: Page, part?: string, rules = ALL_RULES): Promise<string[]> {
  await settled(page);
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axe.source);
  return page.evaluate(`axe.run(${JSON.stringify(part) ?? "document"}, { resultTypes: ["violations"], ${rules} }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) =>
      [id, html.slice(0, 200), failureSummary].join("\\n"))))`);
}

/** The same of a dark page, and then in light colors: the rules that depend on them are checked again, on the same elements. */
export async function problemsInBothThemes(page: Page, part?: string): Promise<string[]> {
  const dark = await accessibilityProblems(page, part);
  await page.emulateMedia({ colorScheme: "light" });
  const light = await accessibilityProblems(page, part, COLOR_RULES);
  await page.emulateMedia({ colorScheme: "dark" });
  return [...dark, ...light.map((problem) => `light: ${problem}`)];
}
