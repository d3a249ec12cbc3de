// Decisions of the inspector are attributed to it, and nothing else is.
import { createAgent, defineTool, type Agent, type AgentConfig } from "agentchart";
import { inspector } from "agentchart/inspect";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { expect, onTestFinished, test } from "vitest";
import { untilAborted } from "../../support/agents.ts";
import { HubPage, testHome, testHub } from "../../support/hub-page.ts";

type Stage = { readonly agent: Agent; readonly page: HubPage };

async function stage(turns: readonly ScriptedTurn[], config: Partial<AgentConfig> = {}): Promise<Stage> {
  const home = testHome();
  const hub = await testHub({ home });
  const inspect = inspector({ home, retryMs: [10, 50] });
  onTestFinished(() => inspect.close());
  const agent = createAgent({ name: "bot", model: scriptedModel(turns), inspect, ...config });
  const page = await HubPage.open(hub);
  await expect.poll(() => page.rows.has(agent.sessionId)).toBe(true);
  page.subscribe(agent.sessionId);
  return { agent, page };
}

async function can({ agent, page }: Stage, type: string): Promise<void> {
  await expect.poll(() => page.rows.get(agent.sessionId)?.can).toContain(type);
}

/** The external events, each with its author: "inspector", or "-" for the program. */
const externalEvents = ({ agent, page }: Stage): string[] =>
  (page.steps.get(agent.sessionId) ?? []).flatMap(({ e, by }) =>
    /^(call|tool\.decide|budget|run\.(interrupt|steer|shutdown)|session\.resume)/.test(e)
      ? [`${e} ${by ?? "-"}`]
      : [],
  );

test("a decision made in the inspector, and the call it causes, are attributed to the inspector", async () => {
  const pay = defineTool({
    name: "pay",
    description: "",
    input: { type: "object" },
    permission: "ask",
    execute: () => "paid",
  });
  const calls: ScriptedTurn = { calls: ["a", "b"].map((id) => ({ id, name: "pay", input: {} })) };
  const on = await stage([calls, "done"], { tools: [pay] });
  await on.agent.call("pay both");
  await expect.poll(() => on.page.pending.get(on.agent.sessionId)).toHaveLength(2);
  await on.agent.decide("a", "approve");
  const { argsHash } = on.agent.status().pending[1]!;
  const decide = { type: "decide", callId: "b", argsHash, decision: "approve" };
  expect(await on.page.command(on.agent.sessionId, decide)).toMatchObject({ ok: true });
  await expect.poll(() => on.page.rows.get(on.agent.sessionId)?.phase).toBe("stopped");
  await expect
    .poll(() => externalEvents(on))
    .toEqual(["call -", "tool.decide -", "tool.decide inspector", "call inspector"]);
});

test("the next event of the program is not attributed to a refused command", async () => {
  const on = await stage(["one", "two"]);
  const expected = { type: "send", text: "x", expect: { leaf: "elsewhere.1" } };
  await can(on, "send");
  expect(await on.page.command(on.agent.sessionId, expected)).toMatchObject({ ok: false });
  await on.agent.call("hi");
  await expect.poll(() => externalEvents(on)).toEqual(["call -"]);
});

test("messages sent from the inspector are marked in the journal", async () => {
  const begun = Promise.withResolvers<void>();
  const held: ScriptedTurn = async function* (_request, signal) {
    begun.resolve();
    yield { type: "text.delta", delta: "thinking" };
    await untilAborted(signal);
  };
  const store = memoryStore();
  const on = await stage([held, "two"], { store });
  const reply = on.agent.call("by the program");
  await begun.promise;
  await can(on, "steer");
  const { sessionId } = on.agent;
  expect(await on.page.command(sessionId, { type: "steer", text: "left" })).toMatchObject({ ok: true });
  expect(await on.page.command(sessionId, { type: "interrupt", text: "stop" })).toMatchObject({ ok: true });
  await reply;
  await can(on, "send");
  expect(await on.page.command(sessionId, { type: "send", text: "again" })).toMatchObject({ ok: true });
  await expect.poll(() => on.page.rows.get(sessionId)?.phase).toBe("stopped");
  await expect
    .poll(() => externalEvents(on))
    .toEqual(["call -", "run.steer inspector", "run.interrupt inspector", "call inspector"]);
  await on.agent.close();
  const again = createAgent({ name: "bot", model: scriptedModel([]), store, sessionId });
  const said = (await again.messages()).flatMap(({ role, content: [block], metadata }) =>
    role === "user" && block?.type === "text" ? [[block.text, metadata["by"]]] : [],
  );
  await again.close();
  expect(said).toContainEqual(["by the program", undefined]);
  for (const text of ["left", "stop", "again"]) expect(said).toContainEqual([text, "inspector"]);
});

test("shutdown, resume and extendBudget from the inspector are attributed to it", async () => {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<string>();
  const work = defineTool({
    name: "work",
    description: "",
    input: { type: "object" },
    execute: () => {
      begun.resolve();
      return ended.promise;
    },
  });
  const on = await stage([{ calls: [{ name: "work" }] }, "done"], {
    tools: [work],
    budget: { modelCalls: 1 },
  });
  const { sessionId } = on.agent;
  on.agent.call("go").catch(() => {});
  await begun.promise;
  await can(on, "shutdown");
  const paused = on.page.command(sessionId, { type: "shutdown" });
  await expect.poll(() => externalEvents(on)).toEqual(["call -", "run.shutdown inspector"]);
  ended.resolve("slept");
  expect(await paused).toMatchObject({ ok: true });
  await can(on, "resume");
  expect(await on.page.command(sessionId, { type: "resume" })).toMatchObject({ ok: true });
  await can(on, "extendBudget");
  const extend = { type: "extendBudget", extra: { modelCalls: 1 } };
  expect(await on.page.command(sessionId, extend)).toMatchObject({ ok: true });
  await expect.poll(() => on.page.rows.get(sessionId)?.phase).toBe("stopped");
  await expect
    .poll(() => externalEvents(on).slice(-2))
    .toEqual(["budget.extend inspector", "call inspector"]);
  const resumed = externalEvents(on);
  expect(resumed.slice(0, 2)).toEqual(["call -", "run.shutdown inspector"]);
  expect(resumed.slice(2).every((each) => each.endsWith(" inspector"))).toBe(true);
});
