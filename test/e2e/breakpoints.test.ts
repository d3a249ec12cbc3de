// Breakpoints in the page: they are set on a live run, and a stopped call goes on from there.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAgent } from "agentchart";
import { breakpoints } from "agentchart/inspect";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { toolOf } from "../support/agents.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";

let env: Environment;
beforeAll(async () => {
  env = await makeEnvironment();
});
afterEach(() => env.closePages());
afterAll(() => env.close());

const call = (id: string, name: string) => ({ calls: [{ id, name, input: { cents: 900 } }] });

test("a person sets breakpoints in the header, at a state and at a call, goes a step and on from one, and removes them", async () => {
  const ran: string[] = [];
  const agent = createAgent({
    name: "desk",
    model: scriptedModel([call("a", "look"), call("b", "pay"), call("c", "look"), call("d", "pay"), "Done."]),
    tools: ["look", "pay"].map((name) => toolOf(name, () => (ran.push(name), "ok"))),
    store: memoryStore(),
    inspect: env.hub.address,
  });
  await agent.open();
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  const listed = async () => (await agent.slots.get(breakpoints)).value;
  const dialog = page.getByRole("dialog", { name: "Breakpoints" });
  await page.getByRole("button", { name: "Breakpoints", exact: true }).click();
  await dialog.getByText("This run has no breakpoints.").waitFor();
  await dialog.getByLabel("Condition (JSON)").fill('{ "when": "true" }');
  await dialog.getByRole("button", { name: "Add the breakpoint" }).click();
  await expect.poll(() => dialog.getByRole("alert").innerText()).toContain("Unrecognized");
  await dialog.getByLabel("Condition (JSON)").fill('{ "tool": "pay" }');
  await dialog.getByRole("button", { name: "Add the breakpoint" }).click();
  await expect.poll(() => dialog.locator("[data-breakpoint]").allInnerTexts()).toEqual(["pay"]);
  await dialog.getByRole("button", { name: "Close" }).click();

  await agent.call("Go.");
  const stop = page.getByRole("group", { name: "Stopped at a breakpoint" });
  await stop.waitFor();
  const offered = await page.locator(".approval").getByRole("button").allInnerTexts();
  expect(offered.map((label) => label.split(/\s/u)[0])).toEqual([
    "One",
    "Go",
    "Edit",
    "Fork",
    "Breakpoints",
    "Deny…",
    "Answer…",
  ]);
  await stop.getByRole("button", { name: "One step" }).click();
  await page.locator('[data-pending="c"]').waitFor();
  expect(await page.locator(".approval .reason").innerText()).toBe("Breakpoint: *");
  expect([ran, await listed()]).toEqual([
    ["look", "pay"],
    [{ tool: "pay" }, { tool: "*" }],
  ]);

  await page.locator('[data-call="a"]').getByRole("button", { name: "More about the call look" }).click();
  await page.getByRole("menuitem", { name: "Set a breakpoint before this tool" }).click();
  expect(await dialog.getByLabel("Condition (JSON)").inputValue()).toContain('"look"');
  await dialog.getByRole("button", { name: "Remove pay" }).click();
  await expect.poll(() => dialog.locator("[data-breakpoint]").allInnerTexts()).toEqual(["*"]);
  await dialog.getByRole("button", { name: "Close" }).click();

  await page.locator('svg.chart [data-state="agent.acting.deciding"]').dispatchEvent("click");
  await page.getByRole("button", { name: "Set a breakpoint here" }).click();
  await dialog.getByRole("button", { name: "Add the breakpoint" }).click();
  await expect
    .poll(() => dialog.locator("[data-breakpoint]").allInnerTexts())
    .toEqual(["*", "state acting.deciding"]);
  await dialog.getByRole("button", { name: "Close" }).click();

  await stop.getByRole("button", { name: "Go on" }).click();
  await page.locator('[data-pending="breakpoint"]').waitFor();
  expect(await page.locator(".approval").innerText()).toMatch(
    /Breakpoint: state acting\.deciding \(.* → acting\.deciding, position \d+\)/u,
  );
  expect(ran).toEqual(["look", "pay", "look"]);
  await stop.getByRole("button", { name: "One step" }).click();
  await page.locator('[data-pending="d"]').waitFor();
  await stop.getByRole("button", { name: "Breakpoints" }).click();
  await dialog.getByRole("button", { name: "Remove state acting.deciding" }).click();
  await expect.poll(() => dialog.locator("[data-breakpoint]").allInnerTexts()).toEqual(["*"]);
  await dialog.getByRole("button", { name: "Close" }).click();
  await stop.getByRole("button", { name: "Go on" }).click();
  await expect.poll(() => agent.status().phase).toBe("stopped");
  expect([ran, await listed()]).toEqual([["look", "pay", "look", "pay"], []]);
  await agent.close();
});

test("a breakpoint holds a run before the model is asked, and its card goes a step, and on", async () => {
  const model = scriptedModel([call("a", "look"), call("b", "look"), "Done."]);
  const agent = createAgent({
    name: "desk",
    model,
    tools: [toolOf("look", () => "ok")],
    store: memoryStore(),
    inspect: env.hub.address,
  });
  await agent.open();
  await agent.slots.set(breakpoints, [{ state: "reasoning.checkingLimits" }]);
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  const reply = await agent.call("Go.");
  expect([reply.reason, model.requests.length]).toEqual(["BREAKPOINT", 0]);
  const card = page.locator('[data-pending="breakpoint"]');
  await card.waitFor();
  expect(await card.innerText()).toMatch(
    /Breakpoint: state reasoning\.checkingLimits \(.* → reasoning\.checkingLimits, position \d+\)/u,
  );
  const offered = await card.getByRole("button").allInnerTexts();
  expect(offered.map((label) => label.split(/\s/u)[0])).toEqual(["One", "Go", "Fork", "Breakpoints"]);
  await card.getByRole("button", { name: "One step" }).click();
  await page.locator('[data-pending="a"]').waitFor();
  expect(model.requests.length).toBe(1);
  await page.locator('[data-pending="a"]').getByRole("button", { name: "Go on" }).click();
  await card.waitFor();
  expect(model.requests.length).toBe(1);
  await agent.slots.set(breakpoints, []);
  await card.getByRole("button", { name: "Breakpoints" }).click(); // the page has heard of it
  const dialog = page.getByRole("dialog", { name: "Breakpoints" });
  await dialog.getByText("This run has no breakpoints.").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await card.getByRole("button", { name: "Go on" }).click();
  await expect.poll(() => agent.status().phase).toBe("stopped");
  expect(model.requests.length).toBe(3);
  await agent.close();
});
