import type { Page } from "playwright-core";

/**
 * Presses Tab the given number of times; returns true if the focus never moved to an element outside of the one
 * that matches the selector.
 */
export async function isTrapped(page: Page, selector: string, presses: number): Promise<boolean> {
  const isOutside = `!!document.activeElement && document.activeElement !== document.body
    && !document.activeElement.closest(${JSON.stringify(selector)})`;
  for (let press = 0; press < presses; press += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(isOutside)) return false;
  }
  return true;
}
