import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  createAgent,
  defineTool,
  suspend,
  textOf,
  type Agent,
  type AgentConfig,
  type Reply,
} from "agentchart";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { z } from "zod";
import { makeDesk, type Desk } from "./support/desk.ts";
import { CHARTS } from "../layout/charts.ts";
import { WirePage } from "./support/wire-page.ts";
import { WireWorker } from "./support/wire-worker.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await makeDesk();
});
afterAll(() => desk.close());

const agents: Agent[] = [];
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.close();
  await desk.closePages();
});

const permissions = { rules: [{ tool: "pay", action: "ask" }] } as const;

/** An agent that asks before it pays, and what it paid. */
function payer(turns: readonly ScriptedTurn[], config: Partial<AgentConfig> = {}) {
  const paid: unknown[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    input: z.object({ to: z.string(), cents: z.number(), urgent: z.boolean().optional() }),
    execute: (input) => {
      paid.push(input);
      return "Paid.";
    },
  });
  const model = scriptedModel(turns);
  const agent = createAgent({
    name: "payer",
    model,
    tools: [pay],
    permissions,
    inspect: desk.hub.address,
    ...config,
  });
  agents.push(agent);
  return { agent, model, paid };
}

const calls = (...inputs: readonly { readonly to: string; readonly cents: number }[]): ScriptedTurn => ({
  calls: inputs.map((input) => ({ id: `to-${input.to}`, name: "pay", input })),
});
async function rests(agent: Agent): Promise<void> {
  await expect.poll(() => agent.status().phase).toBe("stopped");
}

test("calls are approved, edited and denied; an edited number stays a number, and the model reads why not", async () => {
  const { agent, model, paid } = payer([
    calls({ to: "ann", cents: 100 }, { to: "ben", cents: 200 }, { to: "cy", cents: 300 }),
    "Settled.",
  ]);
  const { page, ui } = await desk.open();
  const reply: Reply = await agent.call("Pay everybody.");
  expect(reply.reason).toBe("APPROVAL_REQUIRED");
  await ui.choose(agent.sessionId);
  await expect.poll(() => page.title()).toMatch(/^\(1\)/);

  const ann = ui.pending("to-ann");
  expect(await ann.innerText()).toMatch(/pay wants to run[^]*"ann"/);
  await ann.getByRole("button", { name: /^Approve/ }).click();
  await expect.poll(() => agent.status().pending[0]?.decided).toBe("approve");

  const ben = ui.pending("to-ben");
  await ben.getByRole("button", { name: /^Edit/ }).click();
  await ben.getByRole("textbox", { name: /cents/ }).fill("250");
  await expect.poll(() => ben.innerText()).toMatch(/cents: 200 250/);
  await ben.getByRole("textbox", { name: /cents/ }).press("Control+Enter");
  await expect.poll(() => agent.status().pending[1]?.decided).toEqual({ edit: { to: "ben", cents: 250 } });

  const cy = ui.pending("to-cy");
  await cy.getByRole("button", { name: /^Deny/ }).click();
  await cy.getByRole("textbox").fill("Cy was paid yesterday.");
  await cy.getByRole("button", { name: /^Deny/ }).click();

  await rests(agent);
  expect(paid).toEqual([
    { to: "ann", cents: 100 },
    { to: "ben", cents: 250 },
  ]);
  expect(JSON.stringify(model.requests.at(-1)!.messages)).toContain("Cy was paid yesterday.");
  await expect.poll(() => page.locator("[data-pending]").count()).toBe(0);
  await expect.poll(() => page.title()).not.toMatch(/^\(/);
  model.done();
});

test("a wrong edit is refused beside its field, and nothing runs", async () => {
  const { agent, paid } = payer([calls({ to: "ann", cents: 100 }), "Settled."]);
  const { ui } = await desk.open();
  await agent.call("Pay.");
  await ui.choose(agent.sessionId);
  const card = ui.pending("to-ann");
  await card.getByRole("button", { name: /^Edit/ }).click();
  await card.getByRole("textbox", { name: /cents/ }).fill("a lot");
  await card.getByRole("button", { name: /^Approve edited/ }).click();
  await expect.poll(() => card.getByRole("alert").innerText()).toMatch(/number/);
  expect(agent.status().pending[0]?.decided).toBeUndefined();
  expect(paid).toEqual([]);
});

test("the card that is looked at stays when an older one is answered elsewhere", async () => {
  const { agent, paid } = payer([
    calls({ to: "ann", cents: 100 }, { to: "ben", cents: 200 }, { to: "cy", cents: 300 }),
    "Settled.",
  ]);
  const { page, ui } = await desk.open();
  await agent.call("Pay everybody.");
  await ui.choose(agent.sessionId);
  await page.getByRole("button", { name: "Newer" }).click();
  const ben = ui.pending("to-ben");
  await ben.getByRole("button", { name: /^Edit/ }).click();
  await ben.getByRole("textbox", { name: /cents/ }).fill("250");
  await agent.decide("to-ann", "approve");
  await page.getByText("1 of 2").waitFor();
  expect(await ben.getByRole("textbox", { name: /cents/ }).inputValue()).toBe("250");
  await ben.getByRole("button", { name: /^Approve edited/ }).click();
  await ui.pending("to-cy").waitFor();
  expect(agent.status().pending.map(({ decided }) => decided)).toEqual([
    "approve",
    { edit: { to: "ben", cents: 250 } },
    undefined,
  ]);
  expect(paid).toEqual([]);
});

test("what was changed as JSON is there in the form, and the other way round", async () => {
  const { agent, paid } = payer([calls({ to: "ann", cents: 100 }), "Settled."]);
  const { ui } = await desk.open();
  await agent.call("Pay.");
  await ui.choose(agent.sessionId);
  const card = ui.pending("to-ann");
  await card.getByRole("button", { name: /^Edit/ }).click();
  const [asJson, asForm] = ["as JSON", "as a form"].map((name) => card.getByRole("button", { name }));
  await asJson!.click();
  const json = card.getByRole("textbox", { name: "Arguments (JSON)" });
  await json.fill('{ "to": "ann", "cents": 70, "memo": "rent" }');
  await asForm!.click();
  expect(await card.getByRole("textbox", { name: /cents/ }).inputValue()).toBe("70");
  await card.getByRole("textbox", { name: "memo" }).fill("May");
  await asJson!.click();
  expect(JSON.parse(await json.inputValue())).toEqual({ to: "ann", cents: 70, memo: "May" });
  await json.fill("[1]");
  await asForm!.click();
  expect(await json.inputValue()).toBe("[1]");
  await json.fill('{ "to": "ann", "cents": 71 }');
  await card.getByRole("button", { name: /^Approve edited/ }).click();
  await rests(agent);
  expect(paid).toEqual([{ to: "ann", cents: 71 }]);
});

test("a page that another machine has opened by plain HTTP can decide, and says that it cannot copy", async () => {
  const { agent, paid } = payer([calls({ to: "ann", cents: 100 }), "Settled."]);
  const { page, ui } = await desk.open({
    prepare: async (opened) => {
      await opened.addInitScript(`delete Crypto.prototype.randomUUID;
        Object.defineProperty(Navigator.prototype, "clipboard", { value: undefined });`);
    },
  });
  await agent.call("Pay.");
  await ui.choose(agent.sessionId);
  await page.getByTitle(`Copy ${agent.sessionId}`).click();
  await page.getByText("does not let this page copy").waitFor();
  await ui
    .pending("to-ann")
    .getByRole("button", { name: /^Approve/ })
    .click();
  await rests(agent);
  expect(paid).toEqual([{ to: "ann", cents: 100 }]);
});

test("a card stays until the agent has acknowledged", async () => {
  const chart = CHARTS["the agent"]!;
  const worker = await WireWorker.connect(desk.hub, [{ hash: "slow", chart }]);
  const call = {
    callId: "c1",
    name: "pay",
    input: { cents: 5 },
    argsHash: "h1",
    waitsFor: "approval",
    since: 1,
  } as const;
  const states = ["agent", "agent.suspended", "agent.suspended.waiting"];
  const waiting = { phase: "suspended", waitsFor: ["approval"], can: ["decide"] } as const;
  worker.show("slow-run", "slow", states, waiting, [call]);
  const { ui } = await desk.open();
  await ui.choose("slow-run");
  const card = ui.pending("c1");
  await card.getByRole("button", { name: /^Approve/ }).click();
  await expect.poll(() => card.innerText()).toContain("has not confirmed it yet");
  const [command] = worker.commands;
  expect(command).toMatchObject({ type: "decide", callId: "c1", decision: "approve", argsHash: "h1" });
  expect(await card.getByRole("button", { name: /^Approve/ }).isDisabled()).toBe(true);
  worker.say({ type: "ack", ack: { id: command!.id, ok: true } });
  worker.show("slow-run", "slow", states, { phase: "running", can: [] });
  await expect.poll(() => card.count()).toBe(0);
  await worker.close();
});

test("two tabs answer the same call: it runs once, and the other one is told", async () => {
  const { agent, paid } = payer([calls({ to: "ann", cents: 100 }), "Settled."]);
  const tabs = await Promise.all([desk.open(), desk.open()]);
  await agent.call("Pay.");
  await Promise.all(tabs.map(({ ui }) => ui.choose(agent.sessionId)));
  const buttons = tabs.map(({ ui }) =>
    ui.pending("to-ann").getByRole("button", { name: /^Approve/, disabled: false }),
  );
  await Promise.all(buttons.map((button) => button.waitFor()));
  await Promise.all(buttons.map((button) => button.evaluate((found: { click(): void }) => found.click())));
  await rests(agent);
  expect(paid).toHaveLength(1);
  const told = (): Promise<number[]> =>
    Promise.all(tabs.map(({ page }) => page.locator("[data-notice]", { hasText: "answered" }).count()));
  await expect.poll(async () => (await told()).toSorted()).toEqual([0, 1]);
  for (const { ui } of tabs) await expect.poll(() => ui.pending("to-ann").count()).toBe(0);
});

test("an answer to arguments that are not those of the call is refused, and a command is carried out once", async () => {
  const { agent, paid } = payer([calls({ to: "ann", cents: 100 }), "Settled."]);
  await agent.call("Pay.");
  const page = await WirePage.connect(desk.hub);
  const { sessionId: runId } = agent;
  const { argsHash } = agent.status().pending[0]!;
  const decide = { runId, type: "decide", callId: "to-ann", decision: "approve" } as const;
  await expect
    .poll(
      async () =>
        (await page.command({ id: "stale", ...decide, argsHash: "0".repeat(argsHash.length) })).error?.code,
    )
    .toBe("stale");
  expect(agent.status().pending[0]?.decided).toBeUndefined();
  const acks = await Promise.all([1, 2].map(() => page.command({ id: "once", ...decide, argsHash })));
  expect(acks.map(({ ok }) => ok)).toEqual([true, true]);
  await rests(agent);
  expect(await page.command({ id: "late", ...decide, argsHash })).toMatchObject({
    ok: false,
    error: { code: "answered" },
  });
  expect(paid).toHaveLength(1);
  page.close();
});

describe("What waits otherwise", () => {
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
    const { agent, model } = payer([{ calls: [{ id: "clerk", name: "ask_clerk" }] }, "Thanks."], {
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
    const { agent } = payer([{ calls: [{ name: "free" }] }, "Done."], {
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
      const { agent: lost } = payer([{ calls: [{ id: "sum", name: "wire" }] }], {
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
      const { agent, model } = payer(turns, {
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

  test("keys decide only while the card has the focus", async () => {
    const { agent, paid } = payer([calls({ to: "ann", cents: 100 }), "Settled."]);
    const { page, ui } = await desk.open();
    await agent.call("Pay.");
    await ui.choose(agent.sessionId);
    await ui.pending("to-ann").waitFor();
    await page.keyboard.press("a");
    await page.keyboard.press("y");
    await page.keyboard.press("e");
    await ui.pending("to-ann").getByRole("button", { name: "Back" }).waitFor();
    expect(agent.status().pending[0]?.decided).toBeUndefined();
    await ui.pending("to-ann").getByRole("button", { name: "Back" }).click();
    await page.keyboard.press("Escape");
    await page.locator("[data-pending]").focus();
    await page.keyboard.press("a");
    await rests(agent);
    expect(paid).toHaveLength(1);
  });
});

test("an inspector that only shows has no commands, in the page and in the server", async () => {
  const shown = await makeDesk(["--readonly"]);
  const { agent, paid } = payer([calls({ to: "ann", cents: 100 }), "Settled."], {
    inspect: shown.hub.address,
  });
  const { page, ui } = await shown.open();
  await agent.call("Pay.");
  await ui.choose(agent.sessionId);
  await expect.poll(() => ui.pending("to-ann").innerText()).toContain("only shows");
  expect(await page.getByRole("button", { name: /^Approve/ }).isDisabled()).toBe(true);
  expect(await page.locator("header.header").innerText()).not.toMatch(/Interrupt|Message|Steer|Pause/);
  const wire = await WirePage.connect(shown.hub);
  const { argsHash } = agent.status().pending[0]!;
  const command = {
    id: "1",
    runId: agent.sessionId,
    type: "decide",
    callId: "to-ann",
    decision: "approve",
    argsHash,
  } as const;
  expect(await wire.command(command)).toMatchObject({ ok: false, error: { code: "readonly" } });
  expect(paid).toEqual([]);
  wire.close();
  await shown.close();
});
