// How runs ended, and a conversation that is followed.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { AgentError, createAgent, defineTool, type Agent, type ChatModel } from "agentchart";
import { fileStore } from "agentchart/store/file";
import { scriptedModel } from "agentchart/testing";
import { busyAgent } from "./support/busy.ts";
import { longRunner } from "./support/long-run.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { agentOverBudget } from "./support/suspended-agents.ts";

let env: Environment;
const agents: Agent[] = [];
beforeAll(async () => {
  env = await makeEnvironment();
});
afterEach(() => env.closePages());
afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.close()));
  await env.close();
});

const broken: ChatModel = {
  name: "broken",
  // oxlint-disable-next-line require-yield
  async *stream() {
    throw new AgentError("model/auth", "The key was refused.\nAsk the operator for a new one.");
  },
};
const look = defineTool({
  name: "look",
  description: "Looks at a shelf.",
  input: { type: "object" },
  execute: () => "There are four boxes.",
});
const again = { calls: [{ name: "look", input: { shelf: 1 } }] };

test("list, header and conversation say how each run ended, and why", async () => {
  const inspect = env.hub.address;
  const failed = createAgent({ name: "failing", model: broken, inspect, sessionId: "failed" });
  await failed.call("Hello out there").catch(() => {});
  const looping = createAgent({
    name: "looping",
    model: scriptedModel([again, again, "Not found."]),
    tools: [look],
    maxIters: 2,
    inspect,
    sessionId: "looping",
  });
  await looping.call("Find the box");
  const answering = createAgent({
    name: "good",
    model: scriptedModel(["Four."]),
    inspect,
    sessionId: "good",
  });
  await answering.call("How many?");
  const poor = await agentOverBudget(inspect);
  agents.push(failed, looping, answering, poor);

  const { page, ui, faults } = await env.open();
  await expect.poll(() => ui.run("failed").innerText()).toMatch(/failing[^]*failed[^]*model\/auth/);
  await expect.poll(() => ui.run("looping").innerText()).toMatch(/out of iterations[^]*Find the box/);
  await expect.poll(() => ui.run("good").innerText()).toMatch(/answered[^]*How many\?/);

  const end = page.getByTestId("turn-end");
  await ui.choose("failed");
  await expect.poll(() => ui.status()).toMatch(/failed[^]*model\/auth/);
  expect(await end.innerText()).toMatch(
    /failed[^]*model\/auth: The key was refused\.\s+Ask the operator for a new one\.$/,
  );
  await ui.choose("looping");
  await expect.poll(() => ui.status()).toMatch(/^out of iterations/);
  expect(await end.innerText()).toContain("2 iterations");
  await ui.choose(poor.sessionId);
  await expect.poll(() => ui.status()).toMatch(/^over budget/);
  expect(await end.innerText()).toContain("Budget exceeded: modelCalls 1 of 1.");
  await ui.choose("good");
  await expect.poll(() => ui.status()).toMatch(/^answered/);
  await expect.poll(() => end.count()).toBe(0);
  expect(faults).toEqual(NO_FAULTS);
});

test("a stored run says how it ended before it is opened, and why once it is", async () => {
  const store = fileStore({ dir: env.home.sessions });
  const failed = createAgent({ name: "night", model: broken, store, sessionId: "stored-failed" });
  await failed.call("Add up the day").catch(() => {});
  await failed.close();
  await store.close?.();
  const { page, ui, faults } = await env.open();
  await expect.poll(() => ui.run("stored-failed").innerText()).toMatch(/failed[^]*model\/auth/);
  await ui.choose("stored-failed");
  await expect.poll(() => ui.run("stored-failed").innerText()).toContain("model/auth");
  expect(await page.getByTestId("turn-end").innerText()).toContain("model/auth: The key was refused.");
  expect(faults).toEqual(NO_FAULTS);
});

test("the conversation follows a run until a person scrolls away, and Newest follows again", async () => {
  const long = "A long line of text. ".repeat(20);
  let rounds = 0;
  let allowed = 40;
  const model: ChatModel = {
    name: "steps",
    async *stream({ messages }) {
      while (rounds >= allowed) await sleep(5);
      rounds++;
      yield { type: "text.delta", delta: `${long} ${messages.length}` };
      yield { type: "tool.delta", key: 0, id: `c${messages.length}`, name: "look", args: "{}" };
      yield { type: "finish", reason: "tool_calls" };
    },
  };
  const agent = createAgent({
    name: "long",
    model,
    tools: [look],
    maxIters: 200,
    inspect: env.hub.address,
    sessionId: "long",
  });
  agents.push(agent);
  const turn = agent.call("Go on").catch(() => {});
  const { page, ui, faults } = await env.open();
  await ui.choose("long");
  const log = page.getByRole("log", { name: "Conversation" });
  const gap = (): Promise<number> =>
    log.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
  const roundsAre = async (n: number): Promise<void> => {
    await expect.poll(() => rounds).toBe(n);
  };
  await roundsAre(40);
  await expect.poll(gap).toBeLessThan(3);

  await log.hover();
  await page.mouse.wheel(0, -600);
  const newest = page.getByRole("button", { name: "Newest" });
  await newest.waitFor();
  const before = await gap();
  allowed = 60;
  await roundsAre(60);
  await expect.poll(gap).toBeGreaterThan(before);
  await newest.click();
  await expect.poll(gap).toBeLessThan(3);
  await expect.poll(() => newest.count()).toBe(0);

  await log.hover();
  await page.mouse.wheel(0, -600);
  await newest.waitFor();
  await page.keyboard.press("l");
  await expect.poll(gap).toBeLessThan(3);
  agent.interrupt();
  allowed = Infinity;
  await turn;
  expect(faults).toEqual(NO_FAULTS);
});

test("the conversation follows a run that never pauses, and stays where a person scrolled to", async () => {
  const agent = busyAgent(env.hub.address);
  agents.push(agent);
  const turn = agent.call("Go on").catch(() => {});
  const { page, ui, faults } = await env.open();
  await ui.choose(agent.sessionId);
  const log = page.getByRole("log", { name: "Conversation" });
  const newest = page.getByRole("button", { name: "Newest" });
  const gap = (): Promise<number> =>
    log.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
  const stepsAre = async (n: number): Promise<void> => {
    await expect.poll(async () => (await ui.steps())[1]).toBeGreaterThan(n);
  };
  for (const steps of [150, 300]) {
    await stepsAre(steps);
    await expect.poll(gap).toBeLessThan(80);
    expect(await newest.count()).toBe(0);
  }
  await log.hover();
  await page.mouse.wheel(0, -1_500);
  await newest.waitFor();
  const [top, [, at]] = [await log.evaluate((box) => box.scrollTop), await ui.steps()];
  await stepsAre(at + 100);
  expect(await log.evaluate((box) => box.scrollTop)).toBe(top);
  await newest.click();
  await expect.poll(gap).toBeLessThan(80);
  agent.interrupt();
  await turn;
  expect(faults).toEqual(NO_FAULTS);
});

test("older messages are added above while a person scrolls up, and what is read stays in place", async () => {
  const agent = longRunner(120, env.hub.address);
  agents.push(agent);
  await agent.call("Look everywhere.");
  const { page, ui, faults } = await env.open();
  await ui.choose(agent.sessionId);
  const log = page.getByRole("log", { name: "Conversation" });
  const messages = log.locator("article");
  await messages.getByText("There is nothing anywhere.").waitFor();
  const shown = await messages.count();
  expect(shown).toBeLessThan(40);
  await log.hover();
  const read = messages.filter({ hasText: "I look at 119." });
  const topOfRead = (): Promise<number> => read.evaluate((card) => card.getBoundingClientRect().top);
  for (let down = 300; (await messages.count()) === shown; down += 300) {
    const top = await topOfRead();
    await page.mouse.wheel(0, -300);
    await expect.poll(topOfRead, { message: `scrolled by ${down}` }).toBeCloseTo(top + 300, 0);
  }
  const top = await topOfRead();
  await page.mouse.wheel(0, -300);
  await expect.poll(topOfRead).toBeCloseTo(top + 300, 0);
  const oldest = messages.filter({ hasText: "Look everywhere." });
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, -5_000);
      return oldest.count();
    })
    .toBe(1);
  expect(faults).toEqual(NO_FAULTS);
});

test("a search that finds nothing says so and what is searched", async () => {
  const { page, faults } = await env.open();
  await page.getByRole("searchbox", { name: "Find a run" }).fill("no such run");
  await expect
    .poll(() => page.getByTestId("no-runs").innerText())
    .toContain("No run matches “no such run”. Titles");
  await page.getByRole("button", { name: "Show all runs" }).click();
  await expect.poll(() => page.getByTestId("no-runs").count()).toBe(0);
  expect(await page.getByRole("searchbox", { name: "Find a run" }).inputValue()).toBe("");
  expect(faults).toEqual(NO_FAULTS);
});
