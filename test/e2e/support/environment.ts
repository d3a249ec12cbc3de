import type { Browser } from "playwright-core";
import { launch, open, type Opened, type OpenOptions } from "./browser.ts";
import { makeHome, startHub, type Home, type Hub } from "./hub.ts";
import { InspectorPage } from "./inspector-page.ts";

/** The home folder, hub process and browser that the tests of a file share. */
export type Environment = {
  readonly home: Home;
  readonly browser: Browser;
  /** The running hub; a test may stop it and start another one. */
  hub: Hub;
  /** Opens the link of the hub, or another address, in a new browser context. */
  open(options?: OpenOptions & { readonly at?: string }): Promise<Opened & { readonly ui: InspectorPage }>;
  /** Closes all browser contexts. */
  closePages(): Promise<void>;
  close(): Promise<void>;
};

export async function makeEnvironment(flags: readonly string[] = []): Promise<Environment> {
  const home = makeHome();
  const [hub, browser] = await Promise.all([startHub(home, flags), launch()]);
  const env: Environment = {
    home,
    browser,
    hub,
    async open({ at = env.hub.link, ...options } = {}) {
      const opened = await open(browser, at, options);
      return { ...opened, ui: new InspectorPage(opened.page) };
    },
    async closePages() {
      await Promise.all(browser.contexts().map((context) => context.close()));
    },
    async close() {
      await browser.close();
      await env.hub.stop();
      home.remove();
    },
  };
  return env;
}
