// The page in Chinese.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createAgent, defineTool, type Agent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { accessibilityProblems } from "./support/axe.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { mapProblems } from "./support/map-geometry.ts";
import { parserFixer } from "./support/parser-fixer.ts";
import { settled } from "./support/settled.ts";
import { textProblems } from "./support/text-geometry.ts";

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

describe.each([
  [1_440, 900],
  [1_024, 768],
  [390, 844],
] as const)("In Chinese at %i × %i", (width, height) => {
  test("map, cards and lists have their words in Chinese and hold their geometry, in both themes", async () => {
    const isPhone = width < 500;
    const at = `${env.hub.link}/run/${agent.sessionId}`;
    const { page, faults } = await env.open({
      at,
      viewport: { width, height },
      locale: "zh-CN",
      picture: "map",
      ...(isPhone && { isMobile: true, hasTouch: true }),
    });
    const show = async (panel: string): Promise<void> => {
      if (isPhone)
        await page
          .getByRole("navigation", { name: "面板" })
          .getByRole("button", { name: panel, exact: true })
          .click();
    };
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme });
      for (const [panel, text] of [
        ["状态图", "提示词"],
        ["步骤", "步骤"],
        ["运行", "需要批准"],
        ["详情", "批准"],
      ] as const) {
        await show(panel);
        await page.getByText(text, { exact: true }).filter({ visible: true }).first().waitFor();
        await settled(page);
        const { overlaps, small, outside } = await textProblems(page);
        const where = `${panel} in ${colorScheme}`;
        expect.soft({ overlaps, small, outside }, where).toEqual({ overlaps: [], small: [], outside: [] });
        if (panel === "状态图")
          for (const [name, problems] of Object.entries(await mapProblems(page)))
            expect.soft(problems, `${name} of the map in ${colorScheme}`).toEqual([]);
        expect.soft(await accessibilityProblems(page), where).toEqual([]);
        if (process.env["SHOTS"])
          await page.screenshot({ path: `${process.env["SHOTS"]}/zh-${width}-${panel}-${colorScheme}.png` });
        if (!isPhone) break; // all panels are there at once
      }
    }
    expect(faults).toEqual(NO_FAULTS);
  });
});

test("the page speaks the language of the browser until a person chooses one, and loads no other", async () => {
  const { page } = await env.open();
  const loaded: string[] = [];
  page.on("request", (request) => loaded.push(request.url()));
  await page.reload();
  await page.getByText("needs approval", { exact: true }).first().waitFor();
  expect(await page.locator("html").getAttribute("lang")).toBe("en");
  expect(loaded.filter((url) => /\/zh-/.test(url))).toEqual([]);
  await page.getByRole("button", { name: "中文" }).click();
  await page.getByText("需要批准", { exact: true }).first().waitFor();
  await expect
    .poll(() => page.getByTestId("state-caption").innerText())
    .toMatch(/静止，直到结果、决定或调用到来/u);
  expect(await page.locator("html").getAttribute("lang")).toBe("zh-Hans");
  expect(loaded.filter((url) => /\/zh-/.test(url))).toHaveLength(2);
  await page.getByRole("button", { name: "English" }).click();
  await page.getByText("needs approval", { exact: true }).first().waitFor();
});

test("of many calls of one answer the states are counted in Chinese", async () => {
  const look = defineTool({
    name: "look",
    description: "",
    input: { type: "object" },
    execute: () => "seen",
  });
  const calls = Array.from({ length: 8 }, () => ({ name: "look", input: {} }));
  const model = scriptedModel([{ calls }, "Done."]);
  const many = createAgent({ name: "many", model, tools: [look], inspect: env.hub.address });
  await many.call("Look eight times.");
  const { page } = await env.open({ at: `${env.hub.link}/run/${many.sessionId}`, locale: "zh-CN" });
  await expect.poll(() => page.locator("[data-calls]").allInnerTexts()).toEqual(["8 成功"]);
  await many.close();
});

test("a run with a Chinese name is exported under it, and its file has no English button", async () => {
  const model = scriptedModel(["您好。"]);
  const desk = createAgent({ name: "客服助手", model, sessionId: "desk", inspect: env.hub.address });
  await desk.call("您好！");
  const { page } = await env.open({ at: `${env.hub.link}/run/desk`, locale: "zh-CN" });
  await page.getByText("客服助手", { exact: true }).first().waitFor();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "将此运行导出为文件" }).click();
  const file = await saved;
  expect(file.suggestedFilename()).toBe("客服助手-desk.ndjson");
  await page.getByTestId("open-file").setInputFiles(await file.path());
  await page.getByTestId("file").waitFor();
  await page.getByRole("toolbar").getByRole("button", { name: "末尾" }).waitFor();
  await desk.close();
});
