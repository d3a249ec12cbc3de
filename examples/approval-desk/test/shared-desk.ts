import type { Browser } from "playwright-core";
import { afterAll, beforeAll, type TestContext } from "vitest";
import { launch } from "../../../test/e2e/support/browser.ts";
import { hasChromium } from "./desk-page.ts";
import { openDesk, stopPostgres, type TestDesk } from "./open-desk.ts";

/** A browser and one desk for all tests of a file. */
export function shareDesk(): {
  readonly browser: () => Browser;
  readonly desk: (context: Pick<TestContext, "skip">) => Promise<TestDesk>;
} {
  let browser: Browser;
  let shared: Promise<TestDesk> | undefined;
  beforeAll(async () => {
    if (hasChromium) browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await (await shared?.catch(() => undefined))?.close();
    await stopPostgres();
  });
  return {
    browser: () => browser,
    desk: (context) => (shared ??= openDesk(context, { isKept: true })),
  };
}
