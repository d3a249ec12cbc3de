import type { Locator } from "playwright-core";

/** Clicks an enabled button twice in one task, so that the page cannot render between the clicks. */
export async function clickTwice(button: Locator): Promise<void> {
  await button.and(button.page().locator(":enabled")).waitFor();
  await button.evaluate((found: { click(): void }) => {
    found.click();
    found.click();
  });
}
