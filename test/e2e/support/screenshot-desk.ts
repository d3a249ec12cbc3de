import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { startDesk } from "../../../examples/approval-desk/desk/start-desk.ts";
import { open } from "./browser.ts";

const WINDOW = { width: 1440, height: 860 };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const DAMAGED = "Order 1001 arrived broken, I want my money back.";

/** Takes the screenshots of the refunds desk, on a desk of its own. */
export async function shootDesk(
  browser: Browser,
  shoot: (page: Page, name: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "agentchart-screenshots-"));
  const desk = await startDesk({ folder });
  try {
    const look = async (options: Parameters<typeof open>[2]): Promise<Page> =>
      (await open(browser, desk.link, { viewport: WINDOW, locale: "en-GB", ...options })).page;
    const write = async (page: Page, text: string): Promise<void> => {
      await page.locator("#question").fill(text);
      await page.locator(".new-case button.primary").click();
      await page.locator(".card").waitFor();
    };
    const light = await look({ colorScheme: "light" });
    await write(light, "I want a refund, but I cannot find my order number.");
    await light.getByRole("link", { name: "New case" }).click();
    await write(light, DAMAGED);
    await light.locator("summary").filter({ hasText: "Have the delivery checked" }).click();
    await light.locator(".subagent .call").nth(1).waitFor();
    await shoot(light, "desk-light");
    const dark = await look({ colorScheme: "dark" });
    await dark.getByRole("link", { name: "I want a refund" }).click();
    await dark.locator(".card").waitFor();
    await shoot(dark, "desk-dark");
    const phone = await look({ ...PHONE, colorScheme: "light", locale: "zh-CN" });
    await phone.getByRole("link", { name: "新建工单" }).tap();
    await write(phone, "订单 1002 的椅子有划痕，请退给我 40 欧元。");
    await shoot(phone, "desk-phone-zh");
  } finally {
    await desk.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
