import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launch } from "../../../test/e2e/support/browser.ts";
import { hasChromium, openTab } from "./desk-page.ts";
import { databaseUrl, stopPostgres } from "./open-desk.ts";
import { newFolder, opened, run } from "./run-main.ts";

const STOPPED = "Stopped. 已停止。";
const DAMAGED = "Order 1002 arrived damaged, refund it.";

let browser: Browser;
beforeAll(async () => {
  if (hasChromium) browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  await stopPostgres();
});

describe.skipIf(!hasChromium)("While the clerk works", () => {
  test("the desk is killed: the page goes on by itself, and a page that is loaded shows the same", async (context) => {
    const options = { folder: newFolder(), databaseUrl: await databaseUrl(context), paceMs: 25 };
    const killed = run(options);
    const { link } = await opened(killed);
    const tab = await openTab(browser, link, { isCutOff: true });
    await tab.write(DAMAGED);
    await tab.said("I look up order 1002.").waitFor();
    killed.child.kill("SIGKILL");
    await tab.page.getByText("The connection is lost.").waitFor();
    const desk = run(options);
    expect((await opened(desk)).link).toBe(link);
    await tab.button("Approve").waitFor();
    await tab.said(/I ask a colleague to approve a refund of €289\.50\.$/u).waitFor();
    const shown = (): Promise<string> => tab.page.locator(".conversation").innerText();
    const before = await shown();
    await tab.page.reload();
    await tab.button("Approve").waitFor();
    expect(await shown()).toBe(before);
    await tab.button("Approve").click();
    await tab.said("€289.50 for order 1002 is on its way back to you.").waitFor();
  });

  test("the customer adds something, which the clerk heeds; another turn is stopped", async (context) => {
    const desk = run({ folder: newFolder(), databaseUrl: await databaseUrl(context), paceMs: 25 });
    const tab = await openTab(browser, (await opened(desk)).link);
    await tab.write("Order 1001 arrived broken, refund it.");
    await tab.said("I look up order").waitFor();
    const field = tab.page.getByLabel("The customer adds something");
    await field.fill("Only €5 please.");
    await field.press("Enter");
    await tab.page.locator(".steering").getByText("Only €5 please.").waitFor();
    await tab.page.getByRole("heading", { name: "Refund €5.00 for order 1001?" }).waitFor();
    await tab.button("Stop").click();
    await tab.said(STOPPED).waitFor();
    expect(await tab.page.locator(".card").count()).toBe(0);

    const next = tab.page.getByLabel("The customer goes on");
    await next.fill("Refund €7 for order 1001");
    await next.press("Enter");
    await tab.said("I look up order 1001.").nth(1).waitFor();
    await tab.button("Stop").click();
    await expect.poll(() => tab.said(STOPPED).count()).toBe(2);
    await tab.status.getByText("Answered").waitFor();
  });
});
