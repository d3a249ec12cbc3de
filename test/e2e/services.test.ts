import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAgent, defineTool } from "agentchart";
import { NO_FAULTS } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { HeldModel } from "./support/held-model.ts";
import { longRunner } from "./support/long-run.ts";
import { recordMicrosteps } from "./support/record-microsteps.ts";

let env: Environment;
beforeAll(async () => {
  env = await makeEnvironment();
});
afterEach(() => env.closePages());
afterAll(() => env.close());

test("running hooks, model calls and tool calls are shown with a clock, followed by tokens and cost", async () => {
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
    inspect: env.hub.address,
  });
  const { page, ui, faults } = await env.open();
  const turn = agent.call("What is there?");
  await ui.choose(agent.sessionId);
  const badges = page.locator("[data-service]");
  const services = (): Promise<string[]> =>
    badges.evaluateAll((all) => all.map((badge) => badge.querySelector("span")!.textContent));
  await expect.poll(services).toEqual(["runHooks"]);
  const clock = badges.first().locator(".num");
  // the clock shows seconds and advances
  await expect.poll(() => clock.innerText()).toMatch(/^[\d.]+ s$/);
  const before = await clock.innerText();
  await expect.poll(() => clock.innerText()).not.toBe(before);
  hook.resolve();
  await held.requested(1);
  await expect.poll(services).toEqual(["callModel"]);
  await page.locator("svg.chart .animation").first().waitFor({ state: "attached" });
  held.send(
    { type: "tool.delta", key: 0, name: "look", args: "{}" },
    { type: "tool.delta", key: 1, name: "listen", args: "{}" },
    { type: "usage", usage: { inputTokens: 1_500, cachedInputTokens: 0, outputTokens: 300 } },
    { type: "finish", reason: "tool_calls" },
  );
  await expect.poll(services).toEqual(["look", "listen"]);
  tools[0]!.end();
  await expect.poll(services).toEqual(["listen"]);
  tools[1]!.end();
  await held.requested(2);
  held.send(
    { type: "text.delta", delta: "Nothing." },
    { type: "usage", usage: { inputTokens: 2_500, cachedInputTokens: 0, outputTokens: 100 } },
    { type: "finish", reason: "stop" },
  );
  await turn;
  await expect.poll(services).toEqual([]);
  const metrics = async (): Promise<string> =>
    (await page.locator("dl.metrics").innerText()).replaceAll(/\s+/g, " ");
  await expect.poll(metrics).toMatch(/in 4k cached 0 out 400 cost \$0\.012/i);
  expect(faults).toEqual(NO_FAULTS);
  await agent.close();
});

test("a run can be played from a step, compared with another step and filtered by a state", async () => {
  const agent = longRunner(6, env.hub.address);
  const microsteps = recordMicrosteps(agent);
  await agent.call("Look.");
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  await expect.poll(async () => (await ui.steps())[1]).toBe(microsteps.length);
  await ui.goTo(2);
  await page.getByRole("button", { name: "4×" }).click();
  await expect.poll(async () => (await ui.steps())[0]).toBeGreaterThan(4);
  await ui.goTo(20);
  await page.getByRole("button", { name: "Play (space)" }).waitFor();
  const diff = await ui.openTab("diff");
  const toLast = await ui.changedPaths(diff);
  await diff.getByRole("spinbutton").fill("3");
  await expect.poll(() => ui.changedPaths(diff)).not.toEqual(toLast);
  expect(await diff.innerText()).toMatch(/messages/);
  await page.locator('svg.chart [data-state="agent.acting.reviewing"]').click();
  const rows = page.locator(".timeline [data-step]");
  const wanted = microsteps.flatMap(({ states }, index) =>
    states.includes("agent.acting.reviewing") ? [String(index + 1)] : [],
  );
  await expect
    .poll(() =>
      rows.evaluateAll((all) => all.map((row) => row.getAttribute("data-step")!).toSorted((a, b) => +a - +b)),
    )
    .toEqual(wanted);
  await agent.close();
});
