import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAgent, defineTool, type Agent } from "agentchart";
import { NO_FAULTS } from "./support/browser.ts";
import { makeDesk, type Desk } from "./support/desk.ts";
import { HeldModel } from "./support/held-model.ts";
import { changedPaths, shownContext } from "./support/shown.ts";
import { truthOf, type Truth } from "./support/truth.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await makeDesk();
});
afterAll(() => desk.close());

const finish = { type: "finish", reason: "stop" } as const;

describe("A run of three rounds, watched while it happens", () => {
  const held = new HeldModel();
  const tool = Promise.withResolvers<string>();
  let agent: Agent;
  let truth: Truth[];
  let page: Awaited<ReturnType<Desk["open"]>>;
  let asked: Promise<unknown>;

  beforeAll(async () => {
    const look = defineTool({
      name: "look",
      description: "Looks.",
      input: { type: "object" },
      execute: () => tool.promise,
    });
    agent = createAgent({ name: "live", model: held.model, tools: [look], inspect: desk.hub.address });
    truth = truthOf(agent);
    page = await desk.open();
    asked = agent.call("What is there?");
    await held.asked(1);
    await page.ui.choose(agent.sessionId);
  });
  afterAll(() => agent.close());

  const isTrue = async (): Promise<void> => {
    await expect.poll(async () => (await page.ui.step())[0] - truth.length).toBe(0);
    await page.ui.at(truth.length);
    expect(await page.ui.active()).toEqual(truth.at(-1)!.states);
    expect(await page.ui.taken()).toEqual(truth.at(-1)!.edges);
  };

  test("lights the states of the model call, and streams what the model says", async () => {
    await isTrue();
    expect(truth.at(-1)!.states).toContain("agent.reasoning.calling.running");
    const streaming = page.page.getByTestId("streaming");
    held.give({ type: "thinking.delta", delta: "Hm, let me see." });
    await expect.poll(() => streaming.innerText()).toContain("Hm, let me see.");
    held.give({ type: "text.delta", delta: "I will **lo" });
    await expect.poll(() => streaming.innerText()).toContain("I will");
    held.give(
      { type: "text.delta", delta: "ok** now." },
      { type: "tool.delta", key: 0, id: "c1", name: "look", args: '{"at":' },
    );
    await expect.poll(() => streaming.innerText()).toMatch(/I will look now\.[^]*look[^]*"at"/);
    held.give({ type: "tool.delta", key: 0, args: '"door"}' }, { type: "finish", reason: "tool_calls" });
  });

  test("lights the states of the tool call", async () => {
    await expect.poll(() => truth.at(-1)!.states).toContain("agent.acting.executing.running");
    await isTrue();
    tool.resolve("A door.");
  });

  test("lights the rest at the end, and the edges of every step on the way", async () => {
    await held.asked(2);
    await isTrue();
    held.give(
      { type: "tool.delta", key: 0, id: "c2", name: "look", args: "{}" },
      { type: "finish", reason: "tool_calls" },
    );
    await held.asked(3);
    held.give({ type: "text.delta", delta: "A door." }, finish);
    await asked;
    await isTrue();
    expect(truth.at(-1)!.states).toEqual(["agent", "agent.stopped", "agent.stopped.idle"]);
    for (const [index, { states, edges }] of truth.entries()) {
      await page.ui.goTo(index + 1);
      expect(await page.ui.active(), `step ${index + 1}`).toEqual(states);
      expect(await page.ui.taken(), `step ${index + 1}`).toEqual(edges);
    }
  });

  test("shows the context of any step as it was, and touches nothing of the agent", async () => {
    const before = JSON.stringify(agent.snapshot());
    for (let count = 0; count < 20; count += 1) {
      const q = 1 + ((count * 7_919) % truth.length);
      await page.ui.goTo(q);
      expect(await page.ui.context(q), `step ${q}`).toEqual(shownContext(truth[q - 1]!.context));
    }
    const context = await page.ui.openTab("context");
    await expect.poll(() => context.innerText()).toContain("messages");
    await page.page.keyboard.press("l");
    await expect.poll(() => page.ui.step()).toEqual([truth.length, truth.length]);
    expect(await page.ui.standing()).toContain("idle");
    expect(JSON.stringify(agent.snapshot())).toBe(before);
  });

  test("shows the context as a tree of the recorded values, with what the step changed marked", async () => {
    await page.page.setViewportSize({ width: 1680, height: 3_000 });
    const tree = (await page.ui.openTab("context")).getByRole("tree");
    const changing = truth.flatMap((_, index) =>
      index > 0 && changedKeys(truth, index + 1).length > 0 ? [index + 1] : [],
    );
    for (const q of [changing[1]!, changing.at(-2)!]) {
      await page.ui.goTo(q);
      await tree.and(page.page.getByLabel(`Context after step ${q}`, { exact: true })).waitFor();
      for (const key of ["messages", "messages[0]", "progress", "progress.stats"]) {
        const line = tree.locator(`[data-path="${key}"]`);
        if ((await line.getAttribute("aria-expanded")) === "false") await line.click();
        await line.and(page.page.locator('[aria-expanded="true"]')).waitFor();
      }
      await tree.locator('[data-path="progress.stats.modelCalls"]').waitFor();
      const context = shownContext(truth[q - 1]!.context);
      const leaves = await page.ui.contextLeaves(tree);
      expect(leaves.length).toBeGreaterThan(10);
      for (const [path, text] of leaves)
        expect(text, `step ${q}, ${path}`).toBe(JSON.stringify(at(context, path)));
      const marked = tree.locator('[aria-level="1"][data-changed]');
      const keys = await marked.evaluateAll((lines) => lines.map((line) => line.getAttribute("data-path")!));
      expect(keys.toSorted(), `step ${q}`).toEqual(changedKeys(truth, q));
    }
    await page.page.setViewportSize({ width: 1680, height: 980 });
  });

  test("lists in the diff of a step exactly what changed in it", async () => {
    const panel = await page.ui.openTab("diff");
    for (let q = 2; q <= truth.length; q += 1) {
      await page.ui.goTo(q);
      const [before, after] = [truth[q - 2]!, truth[q - 1]!].map(({ context }) => shownContext(context));
      const changed = changedPaths(before, after).toSorted();
      await expect.poll(() => page.ui.changedPaths(panel), { message: `step ${q}` }).toEqual(changed);
    }
  });

  test("shows the chart from afar by its names, and the active state with all that is written in it", async () => {
    await page.page.keyboard.press("l");
    await page.ui.at(truth.length);
    const svg = page.page.locator("svg.chart");
    const row = svg.locator('[data-state="agent.stopped.idle"] .row').first();
    await svg.and(page.page.locator("[data-afar]")).waitFor();
    expect(await row.isVisible()).toBe(false);
    const far = await page.ui.active();
    await page.page.getByRole("button", { name: /^The active state with guards/ }).click();
    await row.waitFor();
    expect(await svg.getAttribute("data-afar")).toBeNull();
    expect(await page.ui.active()).toEqual(far);
    await page.page.keyboard.press("0");
    await svg.and(page.page.locator("[data-afar]")).waitFor();
    expect(await row.isVisible()).toBe(false);
  });

  test("leaves the page without faults", () => {
    expect(page.faults).toEqual(NO_FAULTS);
  });
});

/** The keys of the context that step `q` changed. */
function changedKeys(truth: readonly Truth[], q: number): string[] {
  const [before, after] = [truth[q - 2]!, truth[q - 1]!].map(({ context }) => shownContext(context));
  const keys = changedPaths(before, after).map((path) => path.split(/[.[]/)[0]!);
  return [...new Set(keys)].toSorted();
}

/** The value at a path as the tree writes it: "progress.turn", "messages[1].role". */
function at(value: unknown, path: string): unknown {
  const keys = path.split(/[.[\]]+/).filter((key) => key !== "");
  return keys.reduce((inner, key) => (inner as { readonly [key: string]: unknown })[key], value);
}
