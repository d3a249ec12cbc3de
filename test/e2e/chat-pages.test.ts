// The chat pages of the examples, in a browser.
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openPageServer } from "../server/open-page-server.ts";
import { TOKENS } from "../server/open-server.ts";
import { paid, sayOtherHalf } from "../server/page-agents.ts";
import { faultyProxy, type FaultyProxy } from "../support/faulty-proxy.ts";
import { launch } from "./support/browser.ts";
import { servePages } from "./support/serve-pages.ts";

const OUTAGE_MS = 10_000;
const folder = `${import.meta.dirname}/../react/page`;
let browser: Browser;
let pages: Awaited<ReturnType<typeof servePages>>;
beforeAll(async () => {
  browser = await launch();
  pages = await servePages([`${folder}/use-agent-page.tsx`, `${folder}/use-chat-page.tsx`]);
});
afterAll(async () => {
  await browser?.close();
  pages?.close();
});

/** A server that pages of another origin reach through a network that can fail. */
async function openNetwork(): Promise<FaultyProxy & { readonly url: string }> {
  const { url } = await openPageServer({ origins: [pages.origin] });
  const proxy = await faultyProxy(url, 80);
  onTestFinished(() => proxy.close());
  return { ...proxy, url: proxy.urlOf(url).replace(/\/$/u, "") };
}

/** Opens a page of a session in a tab of its own. */
async function openTab(name: string, server: string, agent: string): Promise<Page> {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const tab = await context.newPage();
  tab.setDefaultTimeout(300_000);
  const query = new URLSearchParams({ server, session: "talk", token: TOKENS.acme, agent });
  await tab.goto(`${pages.origin}/${name}?${query.toString()}`);
  return tab;
}

const status = (tab: Page, is: string): Promise<void> =>
  tab.getByLabel("status").getByText(is, { exact: true }).waitFor();
const press = (tab: Page, name: string): Promise<void> => tab.getByRole("button", { name }).click();

async function say(tab: Page, text: string): Promise<void> {
  await tab.getByLabel("message").fill(text);
  await press(tab, "Send");
}

async function asked(tab: Page): Promise<void> {
  for (const call of ["c1", "c2"]) await tab.getByRole("button", { name: `Approve ${call}` }).waitFor();
}

const lines = (tab: Page): Promise<readonly string[]> =>
  tab
    .getByRole("listitem")
    .allInnerTexts()
    .then((texts) => texts.map((text) => text.replace(/\s+/gu, " ").trim()));
const PAID = ["user: Pay.", "assistant: Let me pay. It is paid."];

describe.each(["use-agent-page", "use-chat-page"])("%s", (name) => {
  test("approves one call and denies another", async () => {
    const tab = await openTab(name, (await openNetwork()).url, "desk");
    await say(tab, "Pay.");
    await asked(tab);
    expect(paid).toEqual([]);
    await press(tab, "Deny c2");
    await press(tab, "Approve c1");
    await tab.getByText("It is paid.").waitFor();
    await status(tab, "ready");
    expect(paid).toEqual([{ euros: 7 }]);
    expect(await lines(tab)).toEqual(PAID);
  });

  test("changes the arguments of a call, after a reload while it waits", async () => {
    const tab = await openTab(name, (await openNetwork()).url, "desk");
    await say(tab, "Pay.");
    await asked(tab);
    await tab.reload();
    await asked(tab);
    await press(tab, "Deny c2");
    await press(tab, "Pay less c1");
    await tab.getByText("It is paid.").waitFor();
    expect(paid).toEqual([{ euros: 5 }]);
    const ran = 'c1 {"euros":5} output-available, c2 {"euros":7} output-denied';
    const calls = tab.getByRole("status", { name: "calls" });
    await expect.poll(() => calls.textContent()).toBe(ran);
    await tab.reload();
    await tab.getByText("It is paid.").waitFor();
    expect(await lines(tab)).toEqual(PAID);
    expect(await calls.textContent()).toBe(ran);
  });

  test("is open twice: a call is decided once", async () => {
    const { url } = await openNetwork();
    const tab = await openTab(name, url, "desk");
    await say(tab, "Pay.");
    await asked(tab);
    const other = await openTab(name, url, "desk");
    await asked(other);
    await press(tab, "Approve c1");
    await press(tab, "Approve c2");
    await tab.getByText("It is paid.").waitFor();
    expect(paid).toHaveLength(2);
    if (name === "use-agent-page") {
      await other.getByText("It is paid.").waitFor(); // it follows
      await status(other, "ready");
      expect(await other.getByRole("group").count()).toBe(0);
    } else {
      await press(other, "Approve c1");
      await press(other, "Deny c2");
      await other.getByRole("alert").waitFor(); // it did not know
      await other.reload();
    }
    await other.getByText("It is paid.").waitFor();
    expect(await lines(other)).toEqual(PAID);
    expect(paid).toHaveLength(2);
  });

  test(`goes on after ${OUTAGE_MS / 1_000} s without a network in the middle of an answer`, async () => {
    const network = await openNetwork();
    const tab = await openTab(name, network.url, "halves");
    await say(tab, "Say it.");
    await tab.getByText("First half,").waitFor();
    network.answerWith(Buffer.alloc(0));
    const follows = name === "use-agent-page"; // useChat does not connect again by itself
    if (follows) sayOtherHalf();
    if (follows) await tab.getByLabel("connection").getByText("offline").waitFor();
    await sleep(OUTAGE_MS);
    expect(await lines(tab)).toEqual(["user: Say it.", "assistant: First half,"]);
    network.restore();
    if (!follows) await press(tab, "Resume");
    if (!follows) await status(tab, "streaming");
    if (!follows) sayOtherHalf();
    await tab.getByText("First half, second half.").waitFor();
    await status(tab, "ready");
    expect(await lines(tab)).toEqual(["user: Say it.", "assistant: First half, second half."]);
    await say(tab, "Go on.");
    await tab.getByText("Again.").waitFor();
  });
});
