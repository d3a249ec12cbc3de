// Commands of a page that has not seen the newest state are refused.
import { createAgent, defineTool, type Agent, type AgentConfig } from "agentchart";
import { inspector, startHub, type StartedHub } from "agentchart/inspect";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedModel, type ScriptedTurn } from "agentchart/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Ack } from "../../../src/inspect/protocol/commands.ts";
import type { RunRow } from "../../../src/inspect/protocol/protocol.ts";
import { untilAborted } from "../../support/agents.ts";
import { HubPage, testHome, testHub } from "../../support/hub-page.ts";

type RevisionStage = {
  readonly agent: Agent;
  readonly model: ScriptedModel;
  readonly row: () => RunRow | undefined;
  /** The number of events of this type that the page has received. */
  readonly eventCount: (event: string) => number;
  /**
   * Resolves to the revision of the row once the page has all steps of the resting run, which accepts this
   * command and contains this text.
   */
  readonly revisionAtRest: (type: string, said?: string) => Promise<string>;
  readonly command: (body: object) => Promise<Ack>;
};

async function stage(
  turns: readonly ScriptedTurn[],
  config: Partial<AgentConfig> = {},
): Promise<RevisionStage> {
  const home = testHome();
  const hub = await testHub({ home });
  const inspect = inspector({ home, retryMs: [10, 50] });
  onTestFinished(() => inspect.close());
  const model = scriptedModel(turns);
  const agent = createAgent({ name: "bot", model, inspect, ...config });
  const page = await HubPage.open(hub);
  await expect.poll(() => page.rows.has(agent.sessionId)).toBe(true);
  page.subscribe(agent.sessionId);
  const row = (): RunRow | undefined => page.rows.get(agent.sessionId);
  return {
    agent,
    model,
    row,
    eventCount: (event) => (page.steps.get(agent.sessionId) ?? []).filter(({ e }) => e === event).length,
    revisionAtRest: async (type, said = "") => {
      await expect
        .poll(() => ({
          can: row()?.can,
          at: Number(row()?.leaf?.split(".").at(-1)) === page.steps.get(agent.sessionId)?.length,
          said: JSON.stringify(page.contextOf(agent.sessionId)),
        }))
        .toEqual({ can: containing(type), at: true, said: expect.stringContaining(said) as unknown });
      return row()!.leaf!;
    },
    command: (body) => page.command(agent.sessionId, body),
  };
}

const containing = (one: string): unknown => expect.arrayContaining([one]) as unknown;
const stale = (phase: string): object => ({
  ok: false,
  error: {
    code: "stale",
    message: expect.stringMatching(new RegExp(`\\d+ steps later it is ${phase}`)) as unknown,
  },
});
const works: ScriptedTurn = { calls: [{ name: "work" }] };

describe.each([
  ["with a store", () => ({ store: memoryStore() })],
  ["without a store", () => ({})],
] as const)("a command with an outdated revision, %s,", (_, options) => {
  test("is refused as stale if it sends a message", async () => {
    const { agent, revisionAtRest, command } = await stage(["one", "two", "three"], options());
    await agent.call("hi");
    const revision = await revisionAtRest("send", '"one"');
    expect(await command({ type: "send", text: "and now?", expect: { leaf: revision } })).toMatchObject({
      ok: true,
    });
    await expect.poll(() => agent.messages()).toHaveLength(4);
    const next = await revisionAtRest("send", '"two"');
    expect(next).not.toBe(revision);
    const late = await command({ type: "send", text: "too late", expect: { leaf: revision } });
    expect(late).toMatchObject(stale("stopped"));
    expect(await agent.messages()).toHaveLength(4);
    expect(await command({ type: "send", text: "then this", expect: { leaf: next } })).toMatchObject({
      ok: true,
    });
    await expect.poll(() => agent.messages()).toHaveLength(6);
  });

  test("is refused as stale if it extends the budget of an earlier stop", async () => {
    const work = defineTool({
      name: "work",
      description: "",
      input: { type: "object" },
      execute: () => "ok",
    });
    const { agent, model, revisionAtRest, command } = await stage([works, works, works, "done"], {
      budget: { modelCalls: 1 },
      tools: [work],
      ...options(),
    });
    await agent.call("go");
    const extend = (revision: string) =>
      command({ type: "extendBudget", extra: { modelCalls: 1 }, expect: { leaf: revision } });
    const revision = await revisionAtRest("extendBudget");
    expect(await extend(revision)).toMatchObject({ ok: true });
    await expect.poll(() => model.requests).toHaveLength(2);
    await expect.poll(() => agent.status().phase).toBe("suspended");
    expect(await extend(revision)).toMatchObject(stale("suspended"));
    expect(model.requests).toHaveLength(2);
    expect(await extend(await revisionAtRest("extendBudget"))).toMatchObject({ ok: true });
    await expect.poll(() => model.requests).toHaveLength(3);
  });

  test("is refused as stale if it resumes an earlier pause", async () => {
    const steps = [0, 1].map(() => ({
      begun: Promise.withResolvers<void>(),
      ended: Promise.withResolvers<string>(),
    }));
    let ran = 0;
    const work = defineTool({
      name: "work",
      description: "",
      input: { type: "object" },
      execute: () => {
        const step = steps[ran++]!;
        step.begun.resolve();
        return step.ended.promise;
      },
    });
    const on = await stage([works, works, "done"], { tools: [work], ...options() });
    const { agent, model, revisionAtRest, command } = on;
    agent.call("go").catch(() => {});
    const pause = async (at: number): Promise<string> => {
      await steps[at]!.begun.promise;
      const ack = command({ type: "shutdown" });
      await expect.poll(() => on.eventCount("run.shutdown")).toBe(at + 1);
      steps[at]!.ended.resolve("slept");
      expect(await ack).toMatchObject({ ok: true });
      return revisionAtRest("resume");
    };
    const revision = await pause(0);
    expect(await command({ type: "resume", expect: { leaf: revision } })).toMatchObject({ ok: true });
    const next = await pause(1);
    expect(next).not.toBe(revision);
    expect(await command({ type: "resume", expect: { leaf: revision } })).toMatchObject(stale("unfinished"));
    expect(on.row()?.phase).toBe("unfinished");
    expect(await command({ type: "resume", expect: { leaf: next } })).toMatchObject({ ok: true });
    await expect.poll(() => on.row()?.phase).toBe("stopped");
    expect([ran, model.requests.length]).toEqual([2, 3]);
  });
});

test("a stale refusal describes the current state if another process has driven the run", async () => {
  const { agent, revisionAtRest, command } = await stage(["one"]);
  await agent.call("hi");
  await revisionAtRest("send", '"one"');
  expect(await command({ type: "send", text: "x", expect: { leaf: "another-process.7" } })).toMatchObject({
    error: {
      code: "stale",
      message: expect.stringContaining("now it is stopped, at stopped.idle") as unknown,
    },
  });
});

test("a running turn has no revision, and accepts steer and interrupt with any revision", async () => {
  const asked = Promise.withResolvers<void>();
  const held: ScriptedTurn = async function* (_request, signal) {
    asked.resolve();
    yield { type: "text.delta", delta: "thinking" };
    await untilAborted(signal);
  };
  const { agent, row, command } = await stage([held]);
  const reply = agent.call("go");
  await asked.promise;
  await expect.poll(() => row()?.phase).toBe("running");
  expect(row()?.leaf).toBeUndefined();
  const expected = { expect: { leaf: "long-ago.1" } };
  expect(await command({ type: "steer", text: "left", ...expected })).toMatchObject({ ok: true });
  expect(await command({ type: "interrupt", ...expected })).toMatchObject({ ok: true });
  expect((await reply).reason).toBe("INTERRUPTED");
});

test("a command that is repeated after a restart of the hub is executed once", async () => {
  const home = testHome();
  const first = await startHub({ home });
  onTestFinished(() => first.close());
  const inspect = inspector({ home, retryMs: [10, 50] });
  onTestFinished(() => inspect.close());
  const agent = createAgent({ name: "bot", model: scriptedModel(["one", "two", "three"]), inspect });
  await agent.call("hi");
  const sendTo = async (hub: StartedHub): Promise<Ack> => {
    const page = await HubPage.open(hub);
    await expect.poll(() => page.rows.get(agent.sessionId)?.can).toEqual(["send", "compact"]);
    return page.command(agent.sessionId, { type: "send", text: "and now?" }, "the-one");
  };
  expect(await sendTo(first)).toMatchObject({ ok: true });
  await expect.poll(() => agent.messages()).toHaveLength(4);
  await first.close();
  expect(await sendTo(await testHub({ home }))).toMatchObject({ ok: true });
  await expect.poll(() => agent.status().phase).toBe("stopped");
  expect(await agent.messages()).toHaveLength(4);
});

test("a repeated fork command for a stored session writes one fork", async () => {
  const store = memoryStore();
  const model = scriptedModel(["one"]);
  const agent = createAgent({ name: "bot", model, store, sessionId: "s-1" });
  await agent.call("hi");
  await agent.close();
  const hub = await testHub({ home: testHome(), store });
  const ask = async (id: string): Promise<Ack> =>
    (await HubPage.open(hub)).command("s-1", { type: "fork", seq: 1 }, id);
  const [once, again, other] = [await ask("a"), await ask("a"), await ask("b")];
  expect(once).toMatchObject({ ok: true });
  expect(again).toEqual(once);
  expect(other).toMatchObject({ ok: true });
  expect((await store.list({})).sessions.map(({ sessionId }) => sessionId)).toHaveLength(3);
});
