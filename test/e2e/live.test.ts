// A live run in the page.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAgent, defineTool, type Agent } from "agentchart";
import { NO_FAULTS } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { HeldModel } from "./support/held-model.ts";
import { changedPaths, pageContext } from "./support/page-context.ts";
import { recordMicrosteps, type Microstep } from "./support/record-microsteps.ts";

let env: Environment;
beforeAll(async () => {
  env = await makeEnvironment();
});
afterAll(() => env.close());

const finish = { type: "finish", reason: "stop" } as const;

describe("A live run of three rounds", () => {
  const held = new HeldModel();
  const tool = Promise.withResolvers<string>();
  let agent: Agent;
  let microsteps: Microstep[];
  let page: Awaited<ReturnType<Environment["open"]>>;
  let turn: Promise<unknown>;

  beforeAll(async () => {
    const look = defineTool({
      name: "look",
      description: "Looks.",
      input: { type: "object" },
      execute: () => tool.promise,
    });
    agent = createAgent({ name: "live", model: held.model, tools: [look], inspect: env.hub.address });
    microsteps = recordMicrosteps(agent);
    page = await env.open();
    turn = agent.call("What is there?");
    await held.requested(1);
    await page.ui.choose(agent.sessionId);
  });
  afterAll(() => agent.close());

  const expectCurrentStep = async (): Promise<void> => {
    await expect.poll(async () => (await page.ui.steps())[0] - microsteps.length).toBe(0);
    await page.ui.waitForStep(microsteps.length);
    expect(await page.ui.activeStates()).toEqual(microsteps.at(-1)!.states);
    expect((await page.ui.takenEdges()).toSorted()).toEqual(microsteps.at(-1)!.edges.toSorted());
  };

  test("highlights the states of the model call and streams the model's output", async () => {
    await expectCurrentStep();
    expect(microsteps.at(-1)!.states).toContain("agent.reasoning.calling.running");
    const streaming = page.page.getByTestId("streaming");
    held.send({ type: "thinking.delta", delta: "Hm, let me see." });
    await expect.poll(() => streaming.innerText()).toContain("Hm, let me see.");
    held.send({ type: "text.delta", delta: "I will **lo" });
    await expect.poll(() => streaming.innerText()).toContain("I will");
    held.send(
      { type: "text.delta", delta: "ok** now." },
      { type: "tool.delta", key: 0, id: "c1", name: "look", args: '{"at":' },
    );
    await expect.poll(() => streaming.innerText()).toMatch(/I will look now\.[^]*look[^]*"at"/);
    held.send({ type: "tool.delta", key: 0, args: '"door"}' }, { type: "finish", reason: "tool_calls" });
  });

  test("highlights the states of the tool call", async () => {
    await expect.poll(() => microsteps.at(-1)!.states).toContain("agent.acting.executing.running");
    await expectCurrentStep();
    tool.resolve("A door.");
  });

  test("highlights the idle state at the end, and the states and edges of every step before", async () => {
    await held.requested(2);
    await expectCurrentStep();
    held.send(
      { type: "tool.delta", key: 0, id: "c2", name: "look", args: "{}" },
      { type: "finish", reason: "tool_calls" },
    );
    await held.requested(3);
    held.send({ type: "text.delta", delta: "A door." }, finish);
    await turn;
    await expectCurrentStep();
    expect(microsteps.at(-1)!.states).toEqual(["agent", "agent.stopped", "agent.stopped.idle"]);
    for (const [index, { states, edges }] of microsteps.entries()) {
      await page.ui.goTo(index + 1);
      expect(await page.ui.activeStates(), `step ${index + 1}`).toEqual(states);
      expect((await page.ui.takenEdges()).toSorted(), `step ${index + 1}`).toEqual(edges.toSorted());
    }
  });

  test("shows the context of any step without changing the agent", async () => {
    const before = JSON.stringify(agent.snapshot());
    for (let count = 0; count < 20; count += 1) {
      const stepNumber = 1 + ((count * 7_919) % microsteps.length);
      await page.ui.goTo(stepNumber);
      expect(await page.ui.context(stepNumber), `step ${stepNumber}`).toEqual(
        pageContext(microsteps[stepNumber - 1]!.context),
      );
    }
    await page.ui.goTo(1); // every field of the context is closed there, and all of them are visible
    const context = await page.ui.openTab("context");
    await expect.poll(() => context.innerText()).toContain("messages");
    await page.page.keyboard.press("l");
    await expect.poll(() => page.ui.steps()).toEqual([microsteps.length, microsteps.length]);
    expect(await page.ui.status()).toContain("idle");
    expect(JSON.stringify(agent.snapshot())).toBe(before);
  });

  test("shows the context as a tree of the recorded values and marks the keys that the step changed", async () => {
    await page.page.setViewportSize({ width: 1680, height: 3_000 });
    const tree = (await page.ui.openTab("context")).getByRole("tree");
    const changing = microsteps.flatMap((_, index) =>
      index > 0 && changedKeys(microsteps, index + 1).length > 0 ? [index + 1] : [],
    );
    for (const stepNumber of [changing[1]!, changing.at(-2)!]) {
      await page.ui.goTo(stepNumber);
      await tree.and(page.page.getByLabel(`Context after step ${stepNumber}`, { exact: true })).waitFor();
      for (const key of ["messages", "messages[0]", "progress", "progress.stats"]) {
        const line = tree.locator(`[data-path="${key}"]`);
        if ((await line.getAttribute("aria-expanded")) === "false") await line.click();
        await line.and(page.page.locator('[aria-expanded="true"]')).waitFor();
      }
      await tree.locator('[data-path="progress.stats.modelCalls"]').waitFor();
      const context = pageContext(microsteps[stepNumber - 1]!.context);
      const leaves = await page.ui.contextLeaves(tree);
      expect(leaves.length).toBeGreaterThan(10);
      for (const [path, text] of leaves)
        expect(text, `step ${stepNumber}, ${path}`).toBe(JSON.stringify(at(context, path)));
      const marked = tree.locator('[aria-level="1"][data-changed]');
      const keys = await marked.evaluateAll((lines) => lines.map((line) => line.getAttribute("data-path")!));
      expect(keys.filter((key) => key !== "modelCall").toSorted(), `step ${stepNumber}`).toEqual(
        changedKeys(microsteps, stepNumber),
      );
    }
    await page.page.setViewportSize({ width: 1680, height: 980 });
  });

  test("lists in the diff of a step exactly the paths that it changed", async () => {
    const panel = await page.ui.openTab("diff");
    for (let stepNumber = 2; stepNumber <= microsteps.length; stepNumber += 1) {
      await page.ui.goTo(stepNumber);
      const [before, after] = [microsteps[stepNumber - 2]!, microsteps[stepNumber - 1]!].map(({ context }) =>
        pageContext(context),
      );
      const changed = changedPaths(before, after).toSorted();
      await expect
        .poll(() => page.ui.changedPaths(panel), { message: `step ${stepNumber}` })
        .toEqual(changed);
    }
  });

  test("shows only state names in the overview and all details of the active state after zooming to it", async () => {
    await page.page.keyboard.press("l");
    await page.ui.waitForStep(microsteps.length);
    const svg = page.page.locator("svg.chart");
    const row = svg.locator('[data-state="agent.stopped.idle"] .row').first();
    await svg.and(page.page.locator("[data-overview]")).waitFor();
    expect(await row.isVisible()).toBe(false);
    const inOverview = await page.ui.activeStates();
    await page.page.getByRole("button", { name: /^Zoom to the active state/ }).click();
    await row.waitFor();
    expect(await svg.getAttribute("data-overview")).toBeNull();
    expect(await page.ui.activeStates()).toEqual(inOverview);
    await page.page.keyboard.press("0");
    await svg.and(page.page.locator("[data-overview]")).waitFor();
    expect(await row.isVisible()).toBe(false);
  });

  test("causes no error, policy violation or outbound request in the page", () => {
    expect(page.faults).toEqual(NO_FAULTS);
  });
});

/** Returns the top-level keys of the context that a step changed. */
function changedKeys(microsteps: readonly Microstep[], stepNumber: number): string[] {
  const [before, after] = [microsteps[stepNumber - 2]!, microsteps[stepNumber - 1]!].map(({ context }) =>
    pageContext(context),
  );
  const keys = changedPaths(before, after).map((path) => path.split(/[.[]/)[0]!);
  return [...new Set(keys)].toSorted();
}

/** Returns the value at a path in the notation of the tree: "progress.turn", "messages[1].role". */
function at(value: unknown, path: string): unknown {
  const keys = path.split(/[.[\]]+/).filter((key) => key !== "");
  return keys.reduce((inner, key) => (inner as { readonly [key: string]: unknown })[key], value);
}
