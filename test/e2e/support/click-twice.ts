import type { Locator } from "playwright-core";

/** Clicks so fast that nothing can be drawn between. */
export async function clickTwice(button: Locator): Promise<void> {
  await button.and(button.page().locator(":enabled")).waitFor();
  await button.evaluate((found: { click(): void }) => {
    found.click();
    found.click();
  });
}
