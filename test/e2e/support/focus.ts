import type { Page } from "playwright-core";

/** Presses Tab this many times: true if the focus never left this place for another one in the page. */
export async function isTrapped(page: Page, place: string, presses: number): Promise<boolean> {
  const isOutside = `!!document.activeElement && document.activeElement !== document.body
    && !document.activeElement.closest(${JSON.stringify(place)})`;
  for (let press = 0; press < presses; press += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(isOutside)) return false;
  }
  return true;
}
