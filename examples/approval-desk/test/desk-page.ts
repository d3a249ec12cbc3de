import { existsSync } from "node:fs";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { findChromium } from "../../../scripts/find-chromium.mjs";
import { NO_FAULTS, open, type Faults } from "../../../test/e2e/support/browser.ts";

const chromium = findChromium();
/** False where no Chromium is installed. */
export const hasChromium = chromium !== undefined && existsSync(chromium);

/** A tab with the desk. */
export class DeskPage {
  readonly page: Page;
  readonly faults: Faults;

  constructor(page: Page, faults: Faults) {
    this.page = page;
    this.faults = faults;
  }

  /** The state of the case that is open. */
  get status(): Locator {
    return this.page.locator(".case-head .phase");
  }

  get announced(): Locator {
    return this.page.getByTestId("announcer");
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole("button", { name, exact: typeof name === "string" });
  }

  /** A text of the conversation. */
  said(text: string | RegExp): Locator {
    return this.page.locator(".conversation").getByText(text);
  }

  /** Opens a case with what a customer writes. */
  async write(text: string): Promise<void> {
    await this.page.locator("#question").fill(text);
    await this.page.locator(".new-case button.primary").click();
    await this.page.locator(".case").waitFor();
  }
}

/** Opens the desk in a tab of a context of its own, in which nothing may go wrong; if it is cut off, the browser reports requests
 *  without an answer. */
export async function openTab(
  browser: Browser,
  link: string,
  { isCutOff = false, ...options }: BrowserContextOptions & { readonly isCutOff?: boolean } = {},
): Promise<DeskPage> {
  const { page, faults } = await open(browser, link, {
    viewport: { width: 1440, height: 900 },
    locale: "en-GB",
    ...options,
  });
  page.setDefaultTimeout(300_000);
  onTestFinished(async () => {
    const errors = faults.errors.filter((error) => !isCutOff || !error.includes("net::ERR_"));
    expect({ ...faults, errors }).toEqual(NO_FAULTS);
    await page.context().close();
  });
  return new DeskPage(page, faults);
}
