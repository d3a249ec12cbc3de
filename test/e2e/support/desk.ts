import type { Browser } from "playwright-core";
import { launch, open, type Opened, type OpenOptions } from "./browser.ts";
import { makeHome, startHub, type Home, type Hub } from "./hub.ts";
import { InspectorPage } from "./inspector-page.ts";

/** A home, a hub and a browser for the tests of a file. */
export type Desk = {
  readonly home: Home;
  readonly browser: Browser;
  /** The hub that runs now; a test may stop it and start another one. */
  hub: Hub;
  /** Opens the link of the hub in a window of its own. */
  open(options?: OpenOptions & { readonly at?: string }): Promise<Opened & { readonly ui: InspectorPage }>;
  /** Closes all windows. */
  closePages(): Promise<void>;
  close(): Promise<void>;
};

export async function makeDesk(flags: readonly string[] = []): Promise<Desk> {
  const home = makeHome();
  const [hub, browser] = await Promise.all([startHub(home, flags), launch()]);
  const desk: Desk = {
    home,
    browser,
    hub,
    async open({ at = desk.hub.link, ...options } = {}) {
      const opened = await open(browser, at, options);
      return { ...opened, ui: new InspectorPage(opened.page) };
    },
    async closePages() {
      await Promise.all(browser.contexts().map((context) => context.close()));
    },
    async close() {
      await browser.close();
      await desk.hub.stop();
      home.remove();
    },
  };
  return desk;
}
