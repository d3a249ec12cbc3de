import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { findChromium } from "../../../scripts/find-chromium.mjs";

/** What must not happen in a page. */
export type Faults = {
  /** Reports of the content security policy. */
  readonly policy: string[];
  /** Errors on the console and errors nobody caught. */
  readonly errors: string[];
  /** Requests to anywhere but the hub. */
  readonly outbound: string[];
};

export type OpenOptions = BrowserContextOptions & {
  /** What is done to the page before it is loaded. */
  readonly prepare?: (page: Page) => Promise<void>;
};
export type Opened = { readonly page: Page; readonly faults: Faults };

export function launch(flags: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium()!, args: ["--no-sandbox", ...flags] });
}

/** Opens a page in a window of its own and notes all that is wrong in it from its first moment. */
export async function open(
  browser: Browser,
  address: string,
  { prepare, ...options }: OpenOptions = {},
): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width: 1680, height: 980 },
    colorScheme: "dark",
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const faults: Faults = { policy: [], errors: [], outbound: [] };
  const { origin } = new URL(address);
  page.on("console", (message) => {
    if (message.type() === "error") faults.errors.push(message.text());
  });
  page.on("pageerror", (error) => faults.errors.push(String(error)));
  context.on("request", (request) => {
    const to = new URL(request.url());
    if (to.origin !== origin && to.protocol !== "data:" && to.protocol !== "blob:") {
      faults.outbound.push(request.url());
    }
  });
  await page.exposeFunction("__noteViolation", (what: string) => faults.policy.push(what));
  await page.addInitScript(`document.addEventListener("securitypolicyviolation", (event) =>
    __noteViolation([event.violatedDirective, event.blockedURI, event.sample].join(" ")));`);
  await prepare?.(page);
  await page.goto(address);
  return { page, faults };
}

export const NO_FAULTS: Faults = { policy: [], errors: [], outbound: [] };
