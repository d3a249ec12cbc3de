// A page that reaches the server under another host name gets nothing.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, open } from "./support/browser.ts";
import { makeHome, startHub, type Home, type Hub } from "./support/hub.ts";

let home: Home;
let hub: Hub;
let browser: Browser;
beforeAll(async () => {
  home = makeHome();
  [hub, browser] = await Promise.all([
    startHub(home),
    launch(["--host-resolver-rules=MAP evil.test 127.0.0.1, MAP *.evil.test 127.0.0.1"]),
  ]);
});
afterAll(async () => {
  await browser.close();
  await hub.stop();
  home.remove();
});

test("a browser that reaches the server under another host name gets no page, even with the token", async () => {
  const { port } = new URL(hub.url);
  for (const name of ["evil.test", "127.0.0.1.evil.test"]) {
    for (const path of ["/", `/#t=${hub.token}`, "/index.html", "/chart.json"]) {
      const { page } = await open(browser, "about:blank");
      const answer = await page.goto(`http://${name}:${port}${path}`);
      expect(answer?.status(), `${name}${path}`).toBe(421);
      expect(await page.locator("#root").count()).toBe(0);
      expect(await page.locator("body").innerText()).toBe("This server does not serve that host name.");
      await page.context().close();
    }
  }
});

test("a page of another host name gets neither data nor a socket, even with the token", async () => {
  const { port } = new URL(hub.url);
  const { page } = await open(browser, `http://evil.test:${port}/`);
  const got = await page.evaluate(`(async () => {
    const headers = { authorization: "Bearer ${hub.token}" };
    const { status } = await fetch("/api/runs", { headers }).catch(({ name }) => ({ status: name }));
    const socket = await new Promise((resolve) => {
      const ws = new WebSocket("ws://evil.test:${port}/ws");
      ws.onclose = ({ code }) => resolve(code);
      ws.onopen = () => resolve(0);
    }).catch(({ name }) => name);
    return { status, socket };
  })()`);
  expect(got).toEqual({ status: 421, socket: 1006 });
});

test("the same browser gets the page under the server's own name", async () => {
  const { page } = await open(browser, hub.link);
  await page.getByTestId("welcome").waitFor();
});
