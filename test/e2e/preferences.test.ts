// The preferences of the page, and where they are kept.
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Agent } from "agentchart";
import { NO_FAULTS } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { parserFixer } from "./support/parser-fixer.ts";
import { settled } from "./support/settled.ts";

let env: Environment;
let agent: Agent;
beforeAll(async () => {
  env = await makeEnvironment();
  agent = parserFixer({ inspect: env.hub.address });
  await agent.call("Please mend the lexer.");
});
afterAll(async () => {
  await agent.close();
  await env.close();
});
afterEach(() => env.closePages());

const background = (page: Page): Promise<string> =>
  page.evaluate("getComputedStyle(document.body).backgroundColor");

describe("The page", () => {
  test("follows the system's colour scheme by default and remembers the chosen theme", async () => {
    const { page } = await env.open({ colorScheme: "light" });
    const light = await background(page);
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(() => background(page)).not.toBe(light);
    await settled(page);
    const dark = await background(page);
    await page.getByRole("button", { name: "Theme: system" }).click();
    await page.getByRole("button", { name: "Theme: dark" }).click();
    await page.getByRole("button", { name: "Theme: light" }).waitFor();
    await expect.poll(() => background(page)).toBe(light);
    await page.reload();
    await page.getByRole("button", { name: "Theme: light" }).click();
    await expect.poll(() => background(page)).toBe(dark);
  });

  test("works where the browser's storage is forbidden, and remembers as long as its tab is open", async () => {
    const prepare = async (page: Page): Promise<void> => {
      await page.addInitScript(`for (const name of ["localStorage", "sessionStorage"])
        Object.defineProperty(window, name, { get() { throw new DOMException("forbidden", "SecurityError"); } });`);
    };
    const { page, ui, faults } = await env.open({ prepare, picture: "map" });
    await ui.choose(agent.sessionId);
    await page.getByRole("button", { name: "Theme: system" }).click();
    await page.getByRole("button", { name: "Theme: dark" }).waitFor();
    await page.getByRole("button", { name: "Label this run, or make a test of it" }).click();
    const dialog = page.getByRole("dialog", { name: "Label this run" });
    await dialog.getByRole("textbox", { name: "Your name" }).fill("Ana");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "中文" }).click(); // which loads the page again
    await page.getByRole("button", { name: "主题：深色" }).waitFor();
    await ui.run(agent.sessionId).waitFor();
    await page.evaluate('location.hash = "#/overview"'); // in an entry of its own
    await page.getByTestId("many").waitFor();
    await page.reload();
    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("button", { name: "Theme: dark" }).waitFor();
    await page.getByTestId("overview-runs").waitFor();
    expect(faults).toEqual(NO_FAULTS);
  });

  test("keeps what was chosen in another tab", async () => {
    const { page, ui } = await env.open();
    await ui.choose(agent.sessionId);
    const other = await page.context().newPage();
    await other.goto(env.hub.link);
    await other.getByRole("button", { name: "Theme: system" }).click();
    await page.getByRole("separator", { name: "Width of the run list" }).press("ArrowRight");
    await other.reload();
    await other.getByRole("button", { name: "Theme: dark" }).waitFor();
  });

  test("remembers the width of its panels, set by keyboard or mouse", async () => {
    const { page, ui } = await env.open();
    await ui.choose(agent.sessionId);
    const list = page.getByRole("separator", { name: "Width of the run list" });
    const width = async (): Promise<number> => (await page.locator("nav.left").boundingBox())!.width;
    const before = await width();
    await list.focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(width).toBe(before + 16);
    const bar = (await list.boundingBox())!;
    await page.mouse.move(bar.x + 3, bar.y + 200);
    await page.mouse.down();
    await page.mouse.move(bar.x + 43, bar.y + 200, { steps: 4 });
    await page.mouse.up();
    await expect.poll(width).toBe(before + 56);
    await page.reload();
    await expect.poll(width).toBe(before + 56);
    expect(await list.getAttribute("aria-valuenow")).toBe(String(before + 56));
  });

  test("follows the active state with the camera while that is enabled", async () => {
    const { page, ui } = await env.open();
    await ui.choose(agent.sessionId);
    const camera = (): Promise<string | null> => page.locator("svg.chart > g").getAttribute("style");
    const follow = page.getByRole("button", { name: "Follow the active state" });
    await ui.goTo(5);
    await settled(page);
    const still = await camera();
    await follow.click();
    await expect.poll(camera).not.toBe(still);
    await settled(page);
    const atNewest = await camera();
    await page.keyboard.press("Home");
    await expect.poll(camera).not.toBe(atNewest);
    await follow.click();
    await page.getByRole("button", { name: "Follow the active state", pressed: false }).waitFor();
    await settled(page);
    const left = await camera();
    await ui.goTo(12);
    await settled(page);
    expect(await camera()).toBe(left);
  });
});

test("the title and the icon of the tab count the runs that need attention", async () => {
  const { page } = await env.open();
  await expect.poll(() => page.title()).toMatch(/^\(1\) /);
  const icon = page.locator('link[rel="icon"]');
  const picture = async (): Promise<string> => decodeURIComponent((await icon.getAttribute("href"))!);
  expect(await picture()).toMatch(/^data:image\/svg\+xml,<svg .*>1<\/text><\/svg>$/);
  const other = parserFixer({ inspect: env.hub.address });
  await other.call("Please mend the lexer.");
  await expect.poll(picture).toContain(">2</text>");
  other.interrupt();
  await expect.poll(picture).toContain(">1</text>");
  await other.close();
});

test("the title is updated in a background tab that renders no frames", async () => {
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  await expect.poll(() => page.title()).toMatch(/^\(1\) /);
  await page.evaluate("requestAnimationFrame = () => 0");
  const other = parserFixer({ inspect: env.hub.address });
  await other.call("Please mend the lexer.");
  await expect.poll(() => page.title()).toMatch(/^\(2\) /);
  other.interrupt();
  await expect.poll(() => page.title()).toMatch(/^\(1\) /);
  await other.close();
});

test("the key y selects the run that has waited longest, then focuses its card", async () => {
  const stopped = parserFixer({ inspect: env.hub.address });
  await stopped.call("Please mend the lexer.");
  stopped.interrupt();
  const { page, ui } = await env.open();
  await ui.choose(stopped.sessionId);
  await expect.poll(() => ui.status()).toMatch(/idle/);
  await expect.poll(() => page.locator("#approval").count()).toBe(0);
  await page.keyboard.press("y");
  const card = ui.pending("c5");
  await card.waitFor();
  await expect.poll(() => ui.run(agent.sessionId).getAttribute("aria-current")).toBe("true");
  await page.keyboard.press("y");
  await card.and(page.locator(":focus")).waitFor();
  await stopped.close();
});

test("a file that is dropped on the page is opened", async () => {
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: /export/i }).click();
  const text = readFileSync(await (await saved).path(), "utf8");
  await page.evaluate(`{
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([${JSON.stringify(text)}], "dropped.ndjson"));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
  }`);
  await expect.poll(() => page.getByTestId("file").innerText()).toContain("dropped.ndjson");
  await ui.pending("c5").waitFor({ state: "detached" });
});

test("a pinch zooms the chart in", async () => {
  const { page, ui } = await env.open({ hasTouch: true });
  await ui.choose(agent.sessionId);
  const zoom = page.locator(".tools .zoom");
  const scale = async (): Promise<number> => Number.parseInt(await zoom.innerText(), 10);
  const whole = await scale();
  const box = (await page.locator("svg.chart").boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const browser = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", apart: number): Promise<unknown> =>
    browser.send("Input.dispatchTouchEvent", {
      type,
      touchPoints:
        type === "touchEnd"
          ? []
          : [
              { x: x - apart / 2, y, id: 1 },
              { x: x + apart / 2, y, id: 2 },
            ],
    });
  await touch("touchStart", 100);
  for (const apart of [120, 150, 180, 200]) await touch("touchMove", apart);
  await touch("touchEnd", 0);
  await expect.poll(async () => Math.abs((await scale()) / whole - 2)).toBeLessThan(0.3);
  expect(await page.locator(".timeline .found").count()).toBe(0);
});

test("dragging moves the chart by the same distance, also while it is rendered", async () => {
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  const moved = await page.evaluate<{ readonly x: number; readonly y: number }>(`(async () => {
    const chart = document.querySelector("svg.chart");
    const place = () => new DOMMatrix(getComputedStyle(chart.firstElementChild).transform);
    const { x, y } = chart.getBoundingClientRect();
    const point = (type, by) => chart.dispatchEvent(
      new PointerEvent(type, { bubbles: true, pointerId: 1, clientX: x + 9 + by, clientY: y + 60 + by }),
    );
    const before = place();
    point("pointerdown", 0);
    for (let by = 1; by <= 150; by += 1) {
      point("pointermove", by);
      await new Promise((resolve) => setTimeout(resolve));
    }
    point("pointerup", 150);
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const after = place();
    return { x: after.e - before.e, y: after.f - before.f };
  })()`);
  expect(moved).toEqual({ x: expect.closeTo(150, 1), y: expect.closeTo(150, 1) });
});
