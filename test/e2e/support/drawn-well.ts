import type { Page } from "playwright-core";
import { expect } from "vitest";
import { settled } from "./settled.ts";
import { textProblems } from "./text-geometry.ts";

const NONE = { overlaps: [], small: [], outside: [] };
/** What a person needs of a run, however small the window is. */
const NEEDED = [
  ".status",
  ".metrics dd",
  ".tabs",
  ".player",
  ".turn-end",
  ".calls-chip",
  ".outcome",
  ".run-line .figures",
  ".run-line .ago",
  ".actions",
  ".axis-row .names",
];

/** The selectors of visible parts whose content is cut off, or that reach out of the window. */
const cutParts = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`${JSON.stringify(NEEDED)}.filter((part) => [...document.querySelectorAll(part)].some((each) => {
    const { right, width } = each.getBoundingClientRect();
    const isScrolled = getComputedStyle(each).overflowX === "auto";
    return width > 0 && !isScrolled && (each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0 || right > innerWidth + 1);
  }))`);

/** The same in dark and then in light colors. */
export async function expectDrawnWellInBothThemes(page: Page, what: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expectDrawnWell(page, `${what} in ${colorScheme}`);
  }
}

/** Expects that no text of the page overlaps another, is small, is cut off or reaches out of the window. */
export async function expectDrawnWell(page: Page, what: string): Promise<void> {
  await settled(page);
  expect.soft(await textProblems(page), what).toEqual(NONE);
  expect.soft(await cutParts(page), what).toEqual([]);
}
