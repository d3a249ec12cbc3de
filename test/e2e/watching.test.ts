import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAgent, defineTool } from "agentchart";
import { NO_FAULTS } from "./support/browser.ts";
import { makeDesk, type Desk } from "./support/desk.ts";
import { HeldModel } from "./support/held-model.ts";
import { longRunner } from "./support/long-run.ts";
import { truthOf } from "./support/truth.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await makeDesk();
});
afterEach(() => desk.closePages());
afterAll(() => desk.close());

test("what runs is shown with its clock: hooks, the model, each tool call; then tokens and cost", async () => {
  const held = new HeldModel();
  const hook = Promise.withResolvers<void>();
  const tools = ["look", "listen"].map((name) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const tool = defineTool({ name, description: name, input: { type: "object" }, execute: () => promise });
    return { tool, end: () => resolve("nothing") };
  });
  const agent = createAgent({
    name: "watched",
    model: held.model,
    tools: tools.map(({ tool }) => tool),
    parallelToolCalls: true,
    hooks: [{ name: "slow", preReasoning: () => hook.promise }],
    prices: { held: { input: 2, output: 10 } },
    inspect: desk.hub.address,
  });
  const { page, ui, faults } = await desk.open();
  const asked = agent.call("What is there?");
  await ui.choose(agent.sessionId);
  const chips = page.locator("[data-service]");
  const shown = (): Promise<string[]> =>
    chips.evaluateAll((all) => all.map((chip) => chip.querySelector("span")!.textContent));
  await expect.poll(shown).toEqual(["runHooks"]);
  const clock = chips.first().locator(".num");
  // after a second nothing rushes by, and what comes moves
  await expect.poll(() => clock.innerText()).toMatch(/^[\d.]+ s$/);
  const before = await clock.innerText();
  await expect.poll(() => clock.innerText()).not.toBe(before);
  hook.resolve();
  await held.asked(1);
  await expect.poll(shown).toEqual(["callModel"]);
  await page.locator("svg.chart .flight").first().waitFor({ state: "attached" });
  held.give(
    { type: "tool.delta", key: 0, name: "look", args: "{}" },
    { type: "tool.delta", key: 1, name: "listen", args: "{}" },
    { type: "usage", usage: { inputTokens: 1_500, cachedInputTokens: 0, outputTokens: 300 } },
    { type: "finish", reason: "tool_calls" },
  );
  await expect.poll(shown).toEqual(["look", "listen"]);
  tools[0]!.end();
  await expect.poll(shown).toEqual(["listen"]);
  tools[1]!.end();
  await held.asked(2);
  held.give(
    { type: "text.delta", delta: "Nothing." },
    { type: "usage", usage: { inputTokens: 2_500, cachedInputTokens: 0, outputTokens: 100 } },
    { type: "finish", reason: "stop" },
  );
  await asked;
  await expect.poll(shown).toEqual([]);
  const metrics = async (): Promise<string> =>
    (await page.locator("dl.metrics").innerText()).replaceAll(/\s+/g, " ");
  await expect.poll(metrics).toMatch(/in 4k cached 0 out 400 cost \$0\.012/i);
  expect(faults).toEqual(NO_FAULTS);
  await agent.close();
});

test("a run is played from a step on, compared with another step, and narrowed to a state", async () => {
  const agent = longRunner(6, desk.hub.address);
  const truth = truthOf(agent);
  await agent.call("Look.");
  const { page, ui } = await desk.open();
  await ui.choose(agent.sessionId);
  await expect.poll(async () => (await ui.step())[1]).toBe(truth.length);
  await ui.goTo(2);
  await page.getByRole("button", { name: "4×" }).click();
  await expect.poll(async () => (await ui.step())[0]).toBeGreaterThan(4);
  await ui.goTo(20);
  await page.getByRole("button", { name: "Play (space)" }).waitFor();
  const diff = await ui.openTab("diff");
  const toLast = await ui.changedPaths(diff);
  await diff.getByRole("spinbutton").fill("3");
  await expect.poll(() => ui.changedPaths(diff)).not.toEqual(toLast);
  expect(await diff.innerText()).toMatch(/messages/);
  await page.locator('svg.chart [data-state="agent.acting.reviewing"]').click();
  const rows = page.locator(".timeline [data-q]");
  const wanted = truth.flatMap(({ states }, index) =>
    states.includes("agent.acting.reviewing") ? [String(index + 1)] : [],
  );
  await expect
    .poll(() =>
      rows.evaluateAll((all) => all.map((row) => row.getAttribute("data-q")!).toSorted((a, b) => +a - +b)),
    )
    .toEqual(wanted);
  await agent.close();
});
