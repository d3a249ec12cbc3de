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

/** The visible texts of the page with an instant, a number of ms or an id as machines write them, outside of what is shown as data. */
const machineValues = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`(() => {
    const DATA = "pre, code, textarea, .json, [data-panel=raw], [data-panel=context], [data-panel=diff]";
    const MACHINE = /\\b\\d{4}-\\d\\d-\\d\\dT\\d\\d:|\\b1[6-9]\\d{11}\\b|\\b[\\da-f]{8}-[\\da-f]{4}-[\\da-f]{4}-/;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      if (MACHINE.test(node.data) && !node.parentElement.closest(DATA) && node.parentElement.checkVisibility())
        found.push(node.data.trim().slice(0, 100));
    return found;
  })()`);

/** The same in dark and then in light colors. */
export async function expectDrawnWellInBothThemes(page: Page, what: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expectDrawnWell(page, `${what} in ${colorScheme}`);
  }
}

/** Expects that no text of the page overlaps another, is small, is cut off, reaches out of the window, or is a value as machines write it. */
export async function expectDrawnWell(page: Page, what: string): Promise<void> {
  await settled(page);
  expect.soft(await textProblems(page), what).toEqual(NONE);
  expect.soft(await cutParts(page), what).toEqual([]);
  expect.soft(await machineValues(page), what).toEqual([]);
}
