import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { defineTool, suspend, textOf, type Agent } from "agentchart";
import type { ScriptedTurn } from "agentchart/testing";
import { z } from "zod";
import { makeDesk, type Desk } from "./support/desk.ts";
import { payer, rests } from "./support/payer.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await makeDesk();
});
afterAll(() => desk.close());
afterEach(() => desk.closePages());

test("an outside result is given in a form of its schema", async () => {
  const ask = defineTool({
    name: "ask_clerk",
    description: "Asks a clerk.",
    input: { type: "object" },
    execute: () =>
      suspend("The clerk must look.", {
        answerSchema: z.object({ allowed: z.boolean(), limit: z.number() }),
      }),
  });
  const { agent, model } = payer(desk, [{ calls: [{ id: "clerk", name: "ask_clerk" }] }, "Thanks."], {
    tools: [ask],
  });
  const { ui } = await desk.open();
  await agent.call("May I?");
  await ui.choose(agent.sessionId);
  const card = ui.pending("clerk");
  expect(await card.innerText()).toContain("The clerk must look.");
  await card.getByRole("checkbox", { name: /allowed/ }).check();
  await card.getByRole("textbox", { name: /limit/ }).fill("12.5");
  await card.getByRole("button", { name: /^Answer/ }).click();
  await rests(agent);
  const [result] = model.requests.at(-1)!.messages.slice(-1);
  expect(JSON.stringify(result)).toMatch(/allowed[^]*true[^]*limit[^]*12\.5/);
});

test("a budget is extended", async () => {
  const { agent } = payer(desk, [{ calls: [{ name: "free" }] }, "Done."], {
    budget: { modelCalls: 1 },
    tools: [defineTool({ name: "free", description: "", input: { type: "object" }, execute: () => "ok" })],
  });
  const { page, ui } = await desk.open();
  const waiting = async (): Promise<number> => Number(/^\((\d+)\)/.exec(await page.title())?.[1] ?? 0);
  expect((await agent.call("Go.")).reason).toBe("BUDGET_EXCEEDED");
  await ui.choose(agent.sessionId);
  const card = ui.pending("budget");
  await card.waitFor();
  await expect.poll(waiting).toBeGreaterThan(0);
  const needed = await waiting();
  const told = page.locator('[aria-live="assertive"]');
  await expect.poll(() => told.textContent()).toBe("The budget of model calls is used up.");
  await page.keyboard.press("y");
  await card.and(page.locator(":focus")).waitFor();
  await card.getByRole("spinbutton").fill("3");
  await card.getByRole("button", { name: /^Extend/ }).click();
  await rests(agent);
  expect(textOf((await agent.messages()).at(-1)!)).toBe("Done.");
  await expect.poll(waiting).toBe(needed - 1);
  await expect.poll(() => told.textContent()).toBe("");
});

describe("a call that ran when its process died", () => {
  /** An agent whose snapshot was taken while its tool ran, in its next process; and how often the tool has run since. */
  async function survivor(turns: readonly ScriptedTurn[]) {
    const started = Promise.withResolvers<void>();
    let runs = 0;
    const wire = (execute: () => string | Promise<string>) =>
      defineTool({ name: "wire", description: "", input: { type: "object" }, onRestart: "ask", execute });
    const { agent: lost } = payer(desk, [{ calls: [{ id: "sum", name: "wire" }] }], {
      tools: [
        wire(() => {
          started.resolve();
          return new Promise<string>(() => {});
        }),
      ],
      inspect: [],
      interruptGraceMs: 1,
    });
    lost.call("Wire it.").catch(() => {});
    await started.promise;
    const { agent, model } = payer(desk, turns, {
      tools: [wire(() => `Wired ${++runs} time(s) here.`)],
      snapshot: lost.snapshot(),
    });
    expect((await agent.call()).reason).toBe("OUTCOME_UNKNOWN");
    return { agent, model, runs: () => runs };
  }
  const told = async (agent: Agent): Promise<string> => JSON.stringify((await agent.messages()).at(-2));

  test("runs again: once more, and the turn goes on", async () => {
    const { agent, model, runs } = await survivor(["Settled."]);
    const { ui } = await desk.open();
    await ui.choose(agent.sessionId);
    const card = ui.pending("sum");
    await expect.poll(() => card.innerText()).toMatch(/wire may have run: its outcome is not known/);
    expect(runs()).toBe(0);
    await card.getByRole("button", { name: /^Run it again/ }).click();
    await rests(agent);
    expect(runs()).toBe(1);
    expect(await told(agent)).toContain("Wired 1 time(s) here.");
    await expect.poll(() => card.count()).toBe(0);
    model.done();
  });

  test("is given its result: the tool does not run, and the model reads the result", async () => {
    const { agent, model, runs } = await survivor(["Settled."]);
    const { ui } = await desk.open();
    await ui.choose(agent.sessionId);
    const card = ui.pending("sum");
    await card.getByRole("button", { name: /^Give its result/ }).click();
    await card.getByRole("textbox", { name: "Answer" }).fill("The bank says it went through.");
    await card.getByRole("button", { name: /^Answer/ }).click();
    await rests(agent);
    expect(runs()).toBe(0);
    expect(await told(agent)).toContain("The bank says it went through.");
    await expect.poll(() => card.count()).toBe(0);
    model.done();
  });
});
