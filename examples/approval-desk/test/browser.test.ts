import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { openDesk, stopPostgres } from "./open-desk.ts";

vi.setConfig({ testTimeout: 120_000 });
const CHROMIUM = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";
afterAll(stopPostgres);

test.skipIf(!existsSync(CHROMIUM))(
  "A person approves a refund on the page; what customers write is shown as text",
  async (context) => {
    const desk = await openDesk(context);
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    await page.goto(desk.link);
    expect(page.url()).toBe(`${desk.url}/`);

    const evil = 'Refund order 1003 <img src=x onerror="document.title=1"><script>document.title=2</script>';
    await page.getByLabel("A customer writes").fill(evil);
    await page.getByRole("button", { name: "Open a case" }).click();
    await page.getByText("refund: €119.00 for order 1003").waitFor();
    expect(await page.locator("#messages").innerText()).toContain(evil);
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("€119.00 for order 1003 is on its way back to you.").waitFor();
    expect(await page.locator("#pending").innerText()).toBe("");

    await page.getByLabel("The customer goes on").fill("Where is order 1003?");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("of which €119.00 was refunded.").waitFor();
    expect(await page.title()).toBe("Refunds desk");
    expect(await page.locator("main img, main script").count()).toBe(0);
    expect(problems).toEqual([]);
  },
);
