// Selecting steps, states and edges.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAgent, defineTool, type Agent, type AgentConfig, type ModelOptions } from "agentchart";
import { agentTool } from "agentchart/team";
import { scriptedModel } from "agentchart/testing";
import { CHARTS } from "../diagram/charts.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { longRunner } from "./support/long-run.ts";
import { recordMicrosteps, type Microstep } from "./support/record-microsteps.ts";
import { WireWorker } from "./support/wire-worker.ts";

const ROUNDS = 4;
let env: Environment;
let agent: Agent;
let microsteps: Microstep[];
beforeAll(async () => {
  env = await makeEnvironment();
  agent = longRunner(ROUNDS, env.hub.address);
  microsteps = recordMicrosteps(agent);
  await agent.call("Look.");
});
afterEach(() => env.closePages());
afterAll(async () => {
  await agent.close();
  await env.close();
});

/** Creates an agent that waits for what the agent inside of its call waits for. */
async function waitingInside(): Promise<Agent> {
  const pay = defineTool({
    name: "pay",
    description: "",
    input: { type: "object" },
    permission: "ask",
    execute: () => "Paid.",
  });
  const inner = {
    name: "clerk",
    model: scriptedModel([{ calls: [{ id: "c1", name: "pay", input: {} }] }]),
    tools: [pay],
  };
  const outer = createAgent({
    name: "desk",
    model: scriptedModel([{ calls: [{ id: "c0", name: "call_clerk", input: { message: "Pay." } }] }]),
    tools: [agentTool({ agent: inner })],
    inspect: env.hub.address,
    sessionId: "outer-run",
  });
  await outer.call("Pay.");
  return outer;
}

/** Creates a payer whose only call waits for approval. */
async function waiting(config: Partial<AgentConfig> = {}): Promise<Agent> {
  const pay = defineTool({ name: "pay", description: "", input: { type: "object" }, execute: () => "Paid." });
  const model = scriptedModel([{ calls: [{ id: "c1", name: "pay", input: {} }] }, "Settled."]);
  const permissions = { rules: [{ tool: "pay", action: "ask" }] } as const;
  const payer = createAgent({
    name: "payer",
    model,
    tools: [pay],
    permissions,
    inspect: env.hub.address,
    ...config,
  });
  await payer.call("Pay.");
  return payer;
}

test("a click on a message, a row or the scrubber selects its step", async () => {
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  await expect.poll(async () => (await ui.steps())[1]).toBe(microsteps.length);
  const conversation = ui.panel("conversation");
  const first = conversation.locator("[data-message] button.step").first();
  const stored = Number((await first.innerText()).slice(1));
  await first.click();
  await ui.waitForStep(stored);
  expect(await conversation.isVisible()).toBe(true);
  await page.locator('.timeline [data-step="6"]').click();
  await ui.waitForStep(6);
  await page.getByRole("slider", { name: "Step" }).click({ position: { x: 2, y: 18 } });
  await expect.poll(async () => (await ui.steps())[0]).toBeLessThan(6);
});

test("a selected state shows its visits and their average duration, a selected transition how often it was taken", async () => {
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  await expect.poll(async () => (await ui.steps())[1]).toBe(microsteps.length);
  const found = page.locator(".timeline .found");
  await page.keyboard.press("o");
  const outline = page.locator(".outline-pane");
  await outline.getByRole("button", { name: "acting", exact: true }).click();
  await expect.poll(() => found.innerText()).toMatch(new RegExp(`^entered ${ROUNDS} times, .+s on average$`));
  const transition = outline.locator('[data-state="agent.acting.reviewing"] [data-edge]').first();
  const id = await transition.getAttribute("data-edge");
  const times = microsteps.filter(({ edges }) => edges.includes(id!)).length;
  await transition.getByRole("button").click();
  await expect
    .poll(() => found.innerText())
    .toBe(times === 0 ? "No steps yet" : times === 1 ? "taken once" : `taken ${times} times`);
});

test("the chart shows visit counts on request and fades the last four transitions", async () => {
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  await expect.poll(async () => (await ui.steps())[1]).toBe(microsteps.length);
  expect(await page.locator("svg.chart .visits").count()).toBe(0);
  await page.getByRole("button", { name: /Show visit counts/ }).click();
  await page.getByRole("button", { name: /^Zoom to the active state/ }).click(); // at fit a count may have no room
  const acting = page.locator('svg.chart [data-state="agent.acting"] > .visits');
  await expect.poll(() => acting.textContent()).toMatch(new RegExp(`^${ROUNDS}×`));
  expect(await acting.isVisible()).toBe(true);
  await ui.goTo(5); // one round later the edges of the fourth step are those of the first
  const ranks = await page
    .locator("svg.chart [data-taken]")
    .evaluateAll((lines) => [...new Set(lines.map((line) => line.getAttribute("data-taken")!))].toSorted());
  expect(ranks).toEqual(["0", "1", "2", "3"]);
});

test("the chart marks the decisions that a step passes, and a click on one lists the steps that pass it", async () => {
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  await expect.poll(async () => (await ui.steps())[1]).toBe(microsteps.length);
  await ui.goTo(2);
  const passed = page.locator('svg.chart [data-passed="0"]');
  await expect
    .poll(() => passed.evaluateAll((all) => all.map((one) => one.getAttribute("data-state"))))
    .toEqual(["agent.doCall.checkingPending", "agent.reasoning.checkingLimits"]);
  const decision = page.locator('svg.chart [data-state="agent.reasoning.checkingLimits"]');
  expect(await decision.locator("polygon.box").count()).toBe(1);
  expect(await page.locator('svg.chart [data-state="agent.stopped.idle"] rect.box').count()).toBe(1);
  await decision.locator(".box").dispatchEvent("click");
  const times = microsteps.filter(({ edges }) =>
    edges.some((id) => id.startsWith("agent.reasoning.checkingLimits|")),
  ).length;
  expect(times).toBeGreaterThan(ROUNDS);
  await expect.poll(() => page.locator(".timeline .found").innerText()).toBe(`taken ${times} times`);
});

test("commands at a past step are set apart and name the live step that they apply to", async () => {
  const payer = await waiting();
  const { page, ui } = await env.open();
  await ui.choose(payer.sessionId);
  const bar = page.locator("header .actions.is-apart");
  const card = ui.pending("c1");
  await card.waitFor();
  await ui.waitForRest();
  expect(await bar.count()).toBe(0);
  const [, last] = await ui.steps();
  await ui.goTo(3);
  await expect.poll(() => bar.innerText()).toContain(`applies to live step ${last}`);
  expect(await bar.getByRole("button", { name: "Interrupt" }).isEnabled()).toBe(true);
  expect(await page.locator(".pending > .note").innerText()).toBe(`applies to live step ${last}`);
  await card.getByRole("button", { name: /^Approve/ }).click();
  await expect.poll(() => payer.status().phase).toBe("stopped");
  expect((await ui.steps())[0]).toBe(3);
  await page.keyboard.press("l");
  await expect.poll(() => bar.count()).toBe(0);
  await payer.close();
});

test("a past step of a run without live commands shows no separate command bar", async () => {
  const worker = await WireWorker.connect(env.hub, [{ hash: "by-hand", chart: CHARTS["the agent"]! }]);
  const states = ["agent", "agent.stopped", "agent.stopped.idle"];
  worker.show("stored", "by-hand", states, { phase: "stopped", can: ["fork", "forkPlan"] });
  const { page, ui } = await env.open();
  await ui.choose("stored");
  await ui.goTo(1);
  await page.getByRole("button", { name: /^Fork/ }).waitFor();
  expect(await page.locator("header .is-apart").count()).toBe(0);
  await worker.close();
});

test("the diff keeps the step to compare with while another tab is open", async () => {
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  await ui.goTo(9);
  const diff = await ui.openTab("diff");
  const other = diff.getByRole("spinbutton");
  const ofOneStep = await ui.changedPaths(diff);
  await other.fill("4");
  await expect.poll(() => ui.changedPaths(diff)).not.toEqual(ofOneStep);
  const paths = await ui.changedPaths(diff);
  await ui.openTab("raw");
  await ui.openTab("diff");
  expect(await other.inputValue()).toBe("4");
  expect(await ui.changedPaths(diff)).toEqual(paths);
  await page.keyboard.press("Escape");
  await page.getByRole("listbox", { name: "Steps" }).press("d");
  await expect.poll(() => other.inputValue()).toBe("");
});

test("decisions and messages from the inspector are marked in the timeline and in the conversation", async () => {
  const payer = await waiting();
  const { page, ui } = await env.open();
  await ui.choose(payer.sessionId);
  await ui
    .pending("c1")
    .getByRole("button", { name: /^Approve/ })
    .click();
  await expect.poll(() => payer.status().phase).toBe("stopped");
  const conversation = ui.panel("conversation");
  const decided = conversation.locator('[data-call="c1"]').getByText("approved in the inspector");
  await decided.waitFor();
  const decidedAt = await page.evaluate<number>(
    `Array.from({ length: __agentchart.steps }, (_, at) => at + 1)
      .find((n) => __agentchart.stepAt(n).event === "tool.decide")`,
  );
  await ui.waitForRest();
  await ui.goTo(decidedAt);
  const note = page.locator(`.timeline [data-step="${decidedAt}"] .note`);
  await expect.poll(() => note.innerText()).toMatch(/^approved in the inspector/);
  await ui.goTo(decidedAt - 1);
  await page.locator('[data-tab="conversation"]').click();
  await conversation.locator('[data-call="c1"]').waitFor();
  await expect.poll(() => decided.count()).toBe(0);
  await page.keyboard.press("l");
  await page.getByRole("button", { name: "Message" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("Thanks.");
  await page.keyboard.press("Control+Enter");
  const message = conversation.getByRole("article", { name: "Message from user" });
  await message.filter({ hasText: "Thanks." }).getByText("sent from the inspector").waitFor();
  expect(await message.filter({ hasText: "Pay." }).getByText("sent from the inspector").count()).toBe(0);
  await payer.close();
});

test("each model call is listed with its tokens, and an unknown price is shown as a dash", async () => {
  const usage = { inputTokens: 1_500, cachedInputTokens: 500, outputTokens: 30 } as const;
  const finished = async (prices?: ModelOptions["prices"]): Promise<Agent> => {
    const model = scriptedModel([
      [
        { type: "text.delta", delta: "Yes." },
        { type: "usage", usage },
        { type: "finish", reason: "stop" },
      ],
    ]);
    const one = createAgent({
      name: "one",
      model,
      inspect: env.hub.address,
      ...(prices && { modelOptions: { prices } }),
    });
    await one.call("Is it?");
    return one;
  };
  const { page, ui } = await env.open();
  const cells = async ({ sessionId }: Agent): Promise<string[]> => {
    await ui.choose(sessionId);
    await ui.waitForRest();
    const tokens = await ui.openTab("tokens");
    await expect.poll(() => tokens.locator("tbody tr").count()).toBe(1);
    const row = await tokens.locator("tbody td").allInnerTexts();
    const foot = await tokens.locator("tfoot :is(th, td)").allInnerTexts();
    return [...row.slice(1, 4), row[5]!, ...foot];
  };
  const unpriced = await finished();
  expect(await cells(unpriced)).toEqual(["1.5k", "500", "30", "–", "1 call", "1.5k", "500", "30", "", "–"]);
  expect(await page.locator("dl.metrics").innerText()).not.toMatch(/\$/);
  const priced = await finished({ scripted: { input: 2, output: 10, cachedInput: 1 } });
  expect((await cells(priced)).at(-1)).toBe("$0.00280");
  await Promise.all([unpriced.close(), priced.close()]);
});

test("a run inside of a call is listed below its parent, and opened from the call and back", async () => {
  const clerk = await waitingInside();
  const { ui, page } = await env.open();
  const [outer, inner] = ["outer-run", "outer-run/c0"];
  await ui.choose(outer);
  await ui.run(inner).waitFor();
  const [above, below] = await Promise.all([outer, inner].map((id) => ui.run(id).boundingBox()));
  expect([below!.y > above!.y, below!.x > above!.x]).toEqual([true, true]);
  await page.getByRole("button", { name: "Open the run of clerk" }).click();
  await expect.poll(() => ui.run(inner).getAttribute("aria-current")).toBe("true");
  const approve = page.getByRole("button", { name: /^Approve/ });
  await expect.poll(() => approve.isDisabled()).toBe(true); // it is decided in the outermost run
  await page.getByRole("button", { name: "inside of outer-run" }).click();
  await expect.poll(() => approve.isEnabled()).toBe(true);
  await expect.poll(() => ui.run(outer).getAttribute("aria-current")).toBe("true");
  await clerk.close();
});

test("a fork is listed below its original run, indented", async () => {
  const chart = { hash: "forks", chart: CHARTS["the agent"]! };
  const worker = await WireWorker.connect(env.hub, [chart]);
  worker.show("the-run", "forks", ["agent", "agent.reasoning"]);
  worker.show("its-fork", "forks", ["agent", "agent.reasoning"], { forkOf: { runId: "the-run", seq: 1 } });
  const { ui } = await env.open();
  await ui.run("its-fork").waitFor();
  const position = async (): Promise<string> => {
    const [run, fork] = await Promise.all(["the-run", "its-fork"].map((id) => ui.run(id).boundingBox()));
    return `${fork!.y > run!.y ? "below" : "above"}, further ${fork!.x > run!.x ? "in" : "out"}`;
  };
  await expect.poll(position).toBe("below, further in");
  await worker.close();
});
