// Forks that repeat recorded results: no tool runs.
import { expect, test } from "vitest";
import { createAgent, createToolkit, defineHook, textOf, toolResultsOf, userMsg } from "agentchart";
import type { AgentConfig, Msg, Tool, ToolUseBlock } from "agentchart";
import { openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { RecordedCalls } from "../../src/agent/recorded-calls.ts";
import { actingTools, RecordedResults, recordingOf } from "../../src/agent/recorded-results.ts";
import { toolOf } from "../support/agents.ts";
import fc from "../support/fast-check.ts";

const call = (id: string, name: string, n: number): ToolUseBlock => ({
  type: "tool_use",
  id,
  name,
  input: { n },
});
const asks = (...calls: readonly ToolUseBlock[]): ScriptedTurn => ({
  calls: calls.map(({ id, name, input }) => ({ id, name, input })),
});

/** A configuration whose tools come from each place that brings tools, and say which of them ran. */
function configured(
  turns: readonly ScriptedTurn[],
  by: "tools" | "toolkit" = "toolkit",
  more: readonly Tool[] = [],
): {
  readonly config: AgentConfig;
  readonly ran: string[];
} {
  const ran: string[] = [];
  let count = 0;
  const tool = (name: string) => toolOf(name, () => (ran.push(name), `${name} ${++count}`));
  const tools = [tool("pay"), tool("send"), ...more];
  const config: AgentConfig = {
    name: "desk",
    model: scriptedModel(turns),
    ...(by === "tools" ? { tools } : { toolkit: createToolkit({ tools }) }),
    hooks: [defineHook({ name: "more", tools: [tool("note")] })],
    permissions: { rules: [{ tool: "*", action: "allow" }] },
  };
  return { config, ran };
}

const resultsOf = (messages: readonly Msg[]): readonly string[] =>
  messages
    .flatMap(toolResultsOf)
    .map(({ id, output }) => `${id} ${textOf({ content: output } as unknown as Msg)}`);

async function original() {
  const store = memoryStore();
  const { config } = configured([
    asks(call("a", "pay", 1), call("b", "send", 1)),
    asks(call("c", "note", 1), call("d", "pay", 1)),
    "done",
  ]);
  const agent = createAgent({ ...config, store, sessionId: "s" });
  await agent.call("go");
  await agent.close();
  return { store, session: await openSession(store, "s") };
}

/** Runs a fork at the first message with recorded results. */
async function repeated(turns: readonly ScriptedTurn[], by: "tools" | "toolkit" = "toolkit") {
  const { store, session } = await original();
  let at = 0;
  for await (const { seq, type } of session.entries()) {
    if (type === "position" && (await session.at(seq)).messages.length === 1) at = seq;
    if (type === "position" && (await session.at(seq)).messages.length > 1) break;
  }
  const { sessionId } = await session.fork(at, { repeats: true });
  const { config, ran } = configured(turns, by);
  const results = new RecordedResults(await recordingOf(store, "s"));
  const agent = createAgent({
    ...results.configured(config),
    store,
    sessionId,
  });
  await results.begin(agent, store);
  const reply = await agent.call();
  const messages = await agent.messages();
  await agent.close();
  return { reply, ran, results: resultsOf(messages), store, sessionId };
}

test("a fork that repeats is opened by no agent whose tools really run, nor does a fork of it repeat", async () => {
  const { store, sessionId } = await repeated([asks(call("a", "pay", 2)), "done"]);
  const { config, ran } = configured([asks(call("a", "pay", 2)), "done"]);
  const real = createAgent({ ...config, store, sessionId });
  await expect(real.open()).rejects.toMatchObject({
    code: "session/agent-changed",
    message: expect.stringContaining("repeats the recorded results of 's'"),
  });
  await expect(real.call("go")).rejects.toMatchObject({ code: "session/agent-changed" });
  await real.close();
  const other = new RecordedResults({ ...(await recordingOf(store, "s")), sessionId: "other" });
  const wrong = createAgent({ ...other.configured(config), store, sessionId });
  await expect(wrong.open()).rejects.toMatchObject({ code: "session/agent-changed" });
  await wrong.close();
  expect(ran).toEqual([]);
  const again = await (await openSession(store, sessionId)).fork(3);
  const free = createAgent({ ...config, store, sessionId: again.sessionId });
  await free.open();
  await free.close();
});

test("the tools that act are those that may not be repeated, of each place that brings tools", () => {
  const more = [toolOf("look", () => "", { idempotent: true }), toolOf("wait")];
  for (const by of ["tools", "toolkit"] as const)
    expect(actingTools(configured([], by, more).config).toSorted()).toEqual(["note", "pay", "send"]);
});

test.each(["tools", "toolkit"] as const)(
  "no tool of `%s` or hooks runs: the n-th call of a kind has the n-th result",
  async (by) => {
    const turns = [asks(call("x", "pay", 1), call("y", "note", 1)), asks(call("z", "pay", 1)), "done"];
    const { reply, ran, results } = await repeated(turns, by);
    expect(reply.text).toBe("done");
    expect(ran).toEqual([]);
    expect(results).toEqual(["x pay 1", "y note 3", "z pay 4"]);
  },
);

test("a call that is not recorded waits for a result, whatever the permissions are", async () => {
  const { reply, ran } = await repeated([asks(call("x", "pay", 2))]);
  expect(ran).toEqual([]);
  expect(reply).toMatchObject({
    reason: "TOOL_SUSPENDED",
    pending: [{ callId: "x", reason: "No result is recorded for this call, and tools do not run here." }],
  });
});

test("a call that is asked for once more than recorded waits too", async () => {
  const { reply, ran } = await repeated([asks(...["x", "y", "z"].map((id) => call(id, "pay", 1)))]);
  expect(ran).toEqual([]);
  expect(reply.pending.map(({ callId }) => callId)).toEqual(["z"]);
});

const callOf = fc.record({ name: fc.constantFrom("pay", "look"), n: fc.integer({ min: 0, max: 1 }) });

test("each recorded call stands for at most one call of a run, and only for one with its tool and arguments", () => {
  fc.assert(
    fc.property(
      fc.array(callOf, { maxLength: 6 }),
      fc.array(callOf, { maxLength: 6 }),
      fc.nat({ max: 3 }),
      fc.boolean(),
      (before, after, known, isChanged) => {
        const recorded = before.map(({ name, n }, at) => call(`c${at}`, name, n));
        const asked = recorded
          .slice(0, known)
          .map((each) => (isChanged ? call(each.id, each.name, 1 - (each.input["n"] as number)) : each));
        const message = { ...userMsg(""), content: asked } as unknown as Msg;
        const calls = new RecordedCalls(new Map(recorded.map((each) => [each.id, each])), [message]);
        const made = [...asked, ...after.map(({ name, n }, at) => call(`m${at}`, name, n))];
        const pairs = made.map((each) => ({ each, of: calls.recordedOf(each.id, each) }));
        const used = pairs.flatMap(({ of }) => (of === undefined ? [] : [of]));
        expect(new Set(used).size).toBe(used.length);
        for (const { each, of } of pairs) {
          expect(calls.recordedOf(each.id, each)).toBe(of);
          if (of === undefined) continue;
          expect(recorded.find(({ id }) => id === of)).toMatchObject({ name: each.name, input: each.input });
        }
        const keyOf = ({ name, input }: ToolUseBlock): string => `${name} ${JSON.stringify(input)}`;
        for (const key of new Set(made.map(keyOf))) {
          const [had, has] = [recorded, made].map(
            (some) => some.filter((each) => keyOf(each) === key).length,
          );
          const paired = pairs.filter(({ each, of }) => keyOf(each) === key && of !== undefined).length;
          expect(paired).toBe(Math.min(had!, has!));
        }
      },
    ),
  );
});
