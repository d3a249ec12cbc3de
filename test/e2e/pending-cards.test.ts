// Cards of calls that wait for a person.
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { defineTool, suspend, textOf, type Agent } from "agentchart";
import { mcp } from "agentchart/mcp";
import type { ScriptedTurn } from "agentchart/testing";
import { z } from "zod";
import { bookingServer } from "../tool/mcp/booking-server.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { payer, stopped } from "./support/payer.ts";

let env: Environment;
beforeAll(async () => {
  env = await makeEnvironment();
});
afterAll(() => env.close());
afterEach(() => env.closePages());

test("an external result is entered in a form that follows its schema", async () => {
  const ask = defineTool({
    name: "ask_clerk",
    description: "Asks a clerk.",
    input: { type: "object" },
    execute: () =>
      suspend("The clerk must look.", {
        answerSchema: z.object({ allowed: z.boolean(), limit: z.number() }),
      }),
  });
  const { agent, model } = payer(env, [{ calls: [{ id: "clerk", name: "ask_clerk" }] }, "Thanks."], {
    tools: [ask],
  });
  const { ui } = await env.open();
  await agent.call("May I?");
  await ui.choose(agent.sessionId);
  const card = ui.pending("clerk");
  expect(await card.innerText()).toContain("The clerk must look.");
  await card.getByRole("checkbox", { name: /allowed/ }).check();
  await card.getByRole("textbox", { name: /limit/ }).fill("12.5");
  await card.getByRole("button", { name: /^Answer/ }).click();
  await stopped(agent);
  const [result] = model.requests.at(-1)!.messages.slice(-1);
  expect(JSON.stringify(result)).toMatch(/allowed[^]*true[^]*limit[^]*12\.5/);
});

test("questions of a call are answered one after the other, and the call goes on with the answers", async () => {
  const book = defineTool({
    name: "book_room",
    description: "Books a room.",
    input: { type: "object" },
    execute: (_, { resumed }) =>
      resumed
        ? JSON.stringify(resumed.answers)
        : suspend("The stay is not known.", {
            then: "resume",
            asks: [
              { id: "stay", kind: "form", message: "How long?", schema: z.object({ nights: z.number() }) },
              { id: "pay", kind: "url", message: "Pay here.", url: "https://bank.example/pay" },
              { id: "terms", kind: "approval", message: "Is 120 euros fine?" },
            ],
          }),
  });
  const { agent, model } = payer(env, [{ calls: [{ id: "room", name: "book_room" }] }, "Thanks."], {
    tools: [book],
  });
  const { ui } = await env.open();
  await agent.call("A room, please.");
  await ui.choose(agent.sessionId);
  const stay = ui.pending("room/stay");
  await expect.poll(() => stay.innerText()).toContain("How long?");
  await stay.getByRole("textbox", { name: /nights/ }).fill("2");
  await stay.getByRole("button", { name: /^Answer/ }).click();
  const pay = ui.pending("room/pay");
  expect(await pay.getByRole("link").getAttribute("href")).toBe("https://bank.example/pay");
  await pay.getByRole("button", { name: "Decline" }).click();
  const terms = ui.pending("room/terms");
  await terms.getByRole("button", { name: /^Approve/ }).click();
  await stopped(agent);
  const [result] = model.requests.at(-1)!.messages.slice(-1);
  expect(JSON.stringify(result)).toContain(
    JSON.stringify('{"stay":{"respond":{"nights":2}},"pay":{"decline":true},"terms":"approve"}').slice(1, -1),
  );
});

test("an MCP server asks in cards: a form by its schema, then a page to visit", async () => {
  const hotel = await bookingServer();
  const server = await mcp({ name: "hotel", url: hotel.url });
  onTestFinished(async () => {
    await server.close();
    await hotel.close();
  });
  const { agent } = payer(
    env,
    [{ calls: [{ id: "stay", name: "hotel__book", input: { city: "Rome" } }] }, "Booked."],
    { tools: server.tools() },
  );
  const { ui } = await env.open();
  expect((await agent.call("A room in Rome, please.")).reason).toBe("TOOL_SUSPENDED");
  await ui.choose(agent.sessionId);
  const nights = ui.pending("stay/nights");
  await expect.poll(() => nights.innerText()).toContain("How many nights in Rome?");
  await nights.getByRole("textbox", { name: /nights/ }).fill("2");
  await nights.getByRole("button", { name: /^Answer/ }).click();
  const pay = ui.pending("stay/ask_1");
  await pay.waitFor();
  expect(await pay.getByRole("link").getAttribute("href")).toBe("https://bank.example/pay");
  expect(hotel.bookings).toEqual([]);
  await pay.getByRole("button", { name: /^Done/ }).click();
  await stopped(agent);
  expect(hotel.bookings).toEqual(["2 nights in Rome, paid: accept"]);
  expect(textOf((await agent.messages()).at(-1)!)).toBe("Booked.");
});

test("an exceeded budget is extended from its card", async () => {
  const { agent } = payer(env, [{ calls: [{ name: "free" }] }, "Done."], {
    budget: { modelCalls: 1 },
    tools: [defineTool({ name: "free", description: "", input: { type: "object" }, execute: () => "ok" })],
  });
  const { page, ui } = await env.open();
  const countInTitle = async (): Promise<number> => Number(/^\((\d+)\)/.exec(await page.title())?.[1] ?? 0);
  expect((await agent.call("Go.")).reason).toBe("BUDGET_EXCEEDED");
  await ui.choose(agent.sessionId);
  const card = ui.pending("budget");
  await card.waitFor();
  await expect.poll(countInTitle).toBeGreaterThan(0);
  const needed = await countInTitle();
  const announced = page.locator('[aria-live="assertive"]');
  await expect.poll(() => announced.textContent()).toBe("Budget used up: model calls.");
  await page.keyboard.press("y");
  await card.and(page.locator(":focus")).waitFor();
  await card.getByRole("spinbutton").fill("3");
  await card.getByRole("button", { name: /^Extend/ }).click();
  await stopped(agent);
  expect(textOf((await agent.messages()).at(-1)!)).toBe("Done.");
  await expect.poll(countInTitle).toBe(needed - 1);
  await expect.poll(() => announced.textContent()).toBe("");
});

describe("A call whose outcome is unknown", () => {
  /** Creates an agent from a snapshot that was taken while its tool ran; `runs` counts the executions since. */
  async function survivor(turns: readonly ScriptedTurn[]) {
    const started = Promise.withResolvers<void>();
    let runs = 0;
    const wire = (execute: () => string | Promise<string>) =>
      defineTool({ name: "wire", description: "", input: { type: "object" }, onRestart: "ask", execute });
    const { agent: lost } = payer(env, [{ calls: [{ id: "sum", name: "wire" }] }], {
      tools: [
        wire(() => {
          started.resolve();
          return new Promise<string>(() => {});
        }),
      ],
      inspect: [],
      turnOptions: { interruptGraceMs: 1 },
    });
    lost.call("Wire it.").catch(() => {});
    await started.promise;
    const { agent, model } = payer(env, turns, {
      tools: [wire(() => `Wired ${++runs} time(s) here.`)],
      sessionOptions: { snapshot: lost.snapshot() },
    });
    expect((await agent.call()).reason).toBe("OUTCOME_UNKNOWN");
    return { agent, model, runs: () => runs };
  }
  const resultOf = async (agent: Agent): Promise<string> => JSON.stringify((await agent.messages()).at(-2));

  test("runs once more on request and the turn continues", async () => {
    const { agent, model, runs } = await survivor(["Settled."]);
    const { ui } = await env.open();
    await ui.choose(agent.sessionId);
    const card = ui.pending("sum");
    await expect.poll(() => card.innerText()).toMatch(/wire may have run; its outcome is unknown/);
    expect(runs()).toBe(0);
    await card.getByRole("button", { name: /^Run again/ }).click();
    await stopped(agent);
    expect(runs()).toBe(1);
    expect(await resultOf(agent)).toContain("Wired 1 time(s) here.");
    await expect.poll(() => card.count()).toBe(0);
    model.done();
  });

  test("takes its result from the user: the tool does not run and the model reads the result", async () => {
    const { agent, model, runs } = await survivor(["Settled."]);
    const { ui } = await env.open();
    await ui.choose(agent.sessionId);
    const card = ui.pending("sum");
    await card.getByRole("button", { name: /^Provide result/ }).click();
    await card.getByRole("textbox", { name: "Answer" }).fill("The bank says it went through.");
    await card.getByRole("button", { name: /^Answer/ }).click();
    await stopped(agent);
    expect(runs()).toBe(0);
    expect(await resultOf(agent)).toContain("The bank says it went through.");
    await expect.poll(() => card.count()).toBe(0);
    model.done();
  });
});
