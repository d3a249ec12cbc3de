// Cards of messages and calls: thumbnails, menus, long names.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAgent, userMsg, type Agent } from "agentchart";
import { fileStore } from "agentchart/store/file";
import { scriptedModel } from "agentchart/testing";
import { toolOf } from "../support/agents.ts";
import { accessibilityProblems } from "./support/axe.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { textProblems } from "./support/text-geometry.ts";

/** A picture of 256 × 160 px that no encoder has made small: its data is longer than what a step keeps of a text. */
const PICTURE = bitmap(256, 160);
const LONG_NAME = `look_up_${"the_order_of_a_customer_".repeat(2)}`.slice(0, 60);

let env: Environment;
const agents: Agent[] = [];

beforeAll(async () => {
  env = await makeEnvironment();
  const store = fileStore({ dir: env.home.sessions });
  for (const n of [1, 2]) {
    const agent = createAgent({
      name: "clerk",
      sessionId: `stored-${n}`,
      store,
      model: scriptedModel([{ calls: [{ name: "look", input: { n } }] }, "done"]),
      tools: [toolOf("look", () => "seen")],
    });
    await agent.call("look");
    await agent.close();
  }
  await store.close();
  const source = { type: "base64", mediaType: "image/bmp", data: PICTURE } as const;
  const pictures = createAgent({
    name: "viewer",
    sessionId: "pictures",
    inspect: env.hub.address,
    model: scriptedModel([{ calls: [{ name: LONG_NAME, input: { of: "lamp" } }] }, "A lamp."]),
    tools: [
      toolOf(LONG_NAME, () => ({
        output: [
          { type: "text", text: "here" },
          { type: "image", source },
        ],
      })),
    ],
  });
  const content = [
    { type: "text", text: "What is it?" },
    { type: "image", source },
    { type: "image", source: { type: "url", url: "https://pictures.test/a.png" } },
  ] as const;
  await pictures.call(userMsg("", { content }));
  const waits = createAgent({
    name: "payer",
    sessionId: "waits",
    inspect: env.hub.address,
    model: scriptedModel([{ calls: [{ name: "pay", input: { cents: 4_200 } }] }, "Paid."]),
    tools: [toolOf("pay", () => "paid", { permission: "ask" })],
  });
  await waits.call("Pay.");
  agents.push(pictures, waits);
});
afterEach(() => env.closePages());
afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.close()));
  await env.close();
});

test.each([
  [1_440, 900],
  [390, 844],
] as const)(
  "images of messages and results are thumbnails at %i × %i, and nothing is loaded",
  async (width, height) => {
    for (const colorScheme of ["dark", "light"] as const) {
      const at = `${env.hub.link}/run/pictures`;
      const { page, faults } = await env.open({ at, viewport: { width, height }, colorScheme });
      if (width < 800) await page.getByRole("button", { name: "Details" }).click();
      const images = page.locator(".conversation img");
      await expect.poll(() => images.count()).toBe(2);
      for (const image of await images.all()) {
        const sizes = (each: unknown): readonly number[] => {
          const { naturalWidth, clientWidth } = each as {
            readonly naturalWidth: number;
            readonly clientWidth: number;
          };
          return [naturalWidth, clientWidth];
        };
        await expect.poll(() => image.evaluate(sizes)).toEqual([256, 220]);
      }
      expect(await page.locator(".conversation a[href='https://pictures.test/a.png']").innerText()).toContain(
        "pictures.test",
      );
      await page
        .getByRole("button", { name: /^Enlarge the image/ })
        .first()
        .click();
      await expect
        .poll(() =>
          images.first().evaluate((each) => (each as unknown as { clientWidth: number }).clientWidth),
        )
        .toBe(256);
      expect(await textProblems(page)).toEqual({ overlaps: [], small: [], outside: [] });
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(faults).toEqual(NO_FAULTS);
      if (process.env["SHOTS"])
        await page.screenshot({ path: `${process.env["SHOTS"]}/pictures-${width}-${colorScheme}.png` });
    }
  },
);

test("a card has one menu, which the keyboard opens, moves in and closes", async () => {
  const { ui, page, faults } = await env.open({ at: `${env.hub.link}/run/pictures` });
  const button = page.getByRole("button", { name: `More about the call ${LONG_NAME}` });
  await button.focus();
  await page.keyboard.press("Enter");
  const [items, focused] = [page.getByRole("menuitem"), page.locator(":focus")];
  const texts = ["Set a breakpoint before this tool", "Copy arguments", "Copy result"];
  await expect.poll(() => items.allInnerTexts()).toEqual(texts);
  await items.first().and(focused).waitFor();
  for (const place of [1, 2]) {
    await page.keyboard.press("ArrowDown");
    await items.nth(place).and(focused).waitFor();
  }
  await page.keyboard.press("ArrowDown");
  await items.first().and(focused).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  if (process.env["SHOTS"]) await page.screenshot({ path: `${process.env["SHOTS"]}/menu.png` });
  await page.keyboard.press("Escape");
  await expect.poll(() => items.first().isVisible()).toBe(false);
  await button.and(focused).waitFor();
  expect(await ui.panel("conversation").isVisible()).toBe(true);
  expect(faults).toEqual(NO_FAULTS);
});

test("a long name of a tool leaves its outcome and its time in the card", async () => {
  for (const width of [1_440, 1_024]) {
    const { page } = await env.open({ at: `${env.hub.link}/run/pictures`, viewport: { width, height: 900 } });
    const card = page.locator("[data-call]").first();
    const [box, badge, took] = await Promise.all(
      [card, card.locator(".call-head .badge"), card.locator(".took")].map((each) => each.boundingBox()),
    );
    for (const part of [badge!, took!]) {
      expect(part.x + part.width).toBeLessThanOrEqual(box!.x + box!.width);
      expect(part.width).toBeGreaterThan(20);
    }
  }
});

test("the waterfall of each run has its lanes, however often runs are changed", async () => {
  const { ui, page } = await env.open();
  await ui.choose("pictures");
  await page.getByRole("button", { name: "Waterfall" }).click();
  for (const runId of ["stored-1", "pictures", "stored-2", "stored-1", "pictures", "stored-2"]) {
    await ui.choose(runId);
    await expect.poll(() => page.locator('[data-lane="tool"]').count()).toBe(1);
    expect(await page.locator('[data-lane="model"]').count()).toBe(2);
  }
});

test("what waits for a decision is said once", async () => {
  const { page } = await env.open({ at: `${env.hub.link}/run/waits` });
  await page.locator("[data-pending]").first().waitFor();
  const right = page.locator(".right");
  await expect.poll(() => right.innerText()).toMatch(/needs an approval/);
  expect((await right.innerText()).match(/needs an approval/g)).toHaveLength(1);
  expect((await right.innerText()).match(/"cents"/g)).toHaveLength(1);
});

test("the list of steps tells what the agent did, and the states of its engine on request, now and later", async () => {
  const { page } = await env.open({ at: `${env.hub.link}/run/waits`, picture: "map" });
  const steps = page.getByRole("listbox", { name: "Steps" });
  const state = page.locator(".line .state").first();
  await steps.getByText("a person is asked").waitFor();
  expect(await state.isVisible()).toBe(false);
  await page.getByRole("button", { name: "Internals" }).click();
  await expect.poll(() => state.innerText()).toMatch(/\w/);
  await page.reload();
  await expect.poll(() => state.isVisible()).toBe(true);
});

/** A BMP with a pattern, as base64. */
function bitmap(width: number, height: number): string {
  const [header, line] = [54, width * 3];
  const file = Buffer.alloc(header + line * height);
  file.write("BM");
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(header, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(height, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(24, 28);
  for (let at = header; at < file.length; at++) file[at] = (at * 7 + Math.floor(at / line) * 13) % 256;
  return file.toString("base64");
}
