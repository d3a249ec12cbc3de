import type { Page } from "playwright-core";
import type { HubToPage, PageToHub } from "../../../src/inspect/protocol/protocol.ts";

/** The page's connection to the hub in the hands of a test. */
export type Tap = {
  /** False: every attempt to connect fails. */
  isOpen: boolean;
  /** How it fails. */
  failure: { readonly code: number; readonly reason?: string };
  /** What the page gets for a message of the hub; nothing if undefined. */
  toPage: (message: HubToPage) => HubToPage | undefined;
  toHub: (message: PageToHub) => PageToHub;
  /** Says something to the page in the name of the hub. */
  say: (message: HubToPage) => void;
  /** Ends the connection of the page. */
  cut: () => void;
  /** How often the page has tried to connect. */
  attempts: number;
};

/** A tap, and what sets it into a page before that is loaded. */
export function makeTap(): { readonly tap: Tap; readonly prepare: (page: Page) => Promise<void> } {
  const tap: Tap = {
    isOpen: true,
    failure: { code: 1001 },
    toPage: (message) => message,
    toHub: (message) => message,
    say: () => {},
    cut: () => {},
    attempts: 0,
  };
  const prepare = (page: Page): Promise<void> =>
    page.routeWebSocket(/\/ws$/, (route) => {
      tap.attempts += 1;
      if (!tap.isOpen) return void route.close(tap.failure);
      const hub = route.connectToServer();
      tap.cut = () => void route.close({ code: 1001 });
      tap.say = (message) => route.send(JSON.stringify(message));
      route.onMessage((data) => hub.send(JSON.stringify(tap.toHub(JSON.parse(String(data)) as PageToHub))));
      hub.onMessage((data) => {
        const changed = tap.toPage(JSON.parse(String(data)) as HubToPage);
        if (changed) tap.say(changed);
      });
    });
  return { tap, prepare };
}
