import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { findChromium } from "../../../scripts/find-chromium.mjs";

/** Faults of a page, none of which may occur. */
export type Faults = {
  /** Reports of content security policy violations. */
  readonly policy: string[];
  /** Errors on the console and uncaught errors. */
  readonly errors: string[];
  /** URLs of requests to other origins than the hub. */
  readonly outbound: string[];
};

export type OpenOptions = BrowserContextOptions & {
  /** Is called with the page before the page is loaded. */
  readonly prepare?: (page: Page) => Promise<void>;
  /** The picture of the agent that the page begins with: that of the engine with all of its steps, unless a test is about the map, which a new user sees. */
  readonly picture?: "map" | "chart";
};
export type Opened = { readonly page: Page; readonly faults: Faults };

export function launch(flags: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium()!, args: ["--no-sandbox", ...flags] });
}

/**
 * Opens an address in a new browser context and records the faults of the page from the start. Nothing moves in it unless
 * `reducedMotion` is "no-preference": without a graphics card the browser draws each frame of a dot that pulses with the processor,
 * which costs more than most tests.
 */
export async function open(
  browser: Browser,
  address: string,
  { prepare, picture = "chart", ...options }: OpenOptions = {},
): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width: 1680, height: 980 },
    colorScheme: "dark",
    reducedMotion: "reduce",
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(300_000);
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
  if (picture === "chart")
    await page.addInitScript(`try {
      localStorage.getItem("agentchart.preferences") ?? localStorage.setItem("agentchart.preferences", '{"view":"chart","internals":true}');
    } catch {}`);
  await prepare?.(page);
  await page.goto(address);
  return { page, faults };
}

export const NO_FAULTS: Faults = { policy: [], errors: [], outbound: [] };
