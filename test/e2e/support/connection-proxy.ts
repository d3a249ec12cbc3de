import type { Page } from "playwright-core";
import type { HubToPage, PageToHub } from "../../../src/inspect/protocol/protocol.ts";

/** Controls the WebSocket between the page and the hub: refuses, closes and changes what passes. */
export type ConnectionProxy = {
  /** False: every attempt to connect is closed with `failure`. */
  isOpen: boolean;
  failure: { readonly code: number; readonly reason?: string };
  /** Returns what the page receives for a message of the hub; undefined drops the message. */
  toPage: (message: HubToPage) => HubToPage | undefined;
  toHub: (message: PageToHub) => PageToHub;
  /** Sends a message to the page as if it came from the hub. */
  send: (message: HubToPage) => void;
  /** Closes the connection of the page. */
  disconnect: () => void;
  /** How often the page has tried to connect. */
  attempts: number;
};

/** Creates a proxy, and the function that installs it in a page before the page is loaded. */
export function makeConnectionProxy(): {
  readonly proxy: ConnectionProxy;
  readonly prepare: (page: Page) => Promise<void>;
} {
  const proxy: ConnectionProxy = {
    isOpen: true,
    failure: { code: 1001 },
    toPage: (message) => message,
    toHub: (message) => message,
    send: () => {},
    disconnect: () => {},
    attempts: 0,
  };
  const prepare = (page: Page): Promise<void> =>
    page.routeWebSocket(/\/ws$/, (route) => {
      proxy.attempts += 1;
      if (!proxy.isOpen) return void route.close(proxy.failure);
      const hub = route.connectToServer();
      proxy.disconnect = () => void route.close({ code: 1001 });
      proxy.send = (message) => route.send(JSON.stringify(message));
      route.onMessage((data) => hub.send(JSON.stringify(proxy.toHub(JSON.parse(String(data)) as PageToHub))));
      hub.onMessage((data) => {
        const changed = proxy.toPage(JSON.parse(String(data)) as HubToPage);
        if (changed) proxy.send(changed);
      });
    });
  return { proxy, prepare };
}
