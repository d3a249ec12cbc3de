import { describe, expect, test } from "vitest";
import { rerun, textOf, type AgentConfig } from "agentchart";
import { openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { scripted, toolOf } from "../support/agents.ts";

const CALL: ScriptedTurn = { calls: [{ id: "c1", name: "look", input: {} }] };

async function recorded(turns: readonly ScriptedTurn[], more: Partial<AgentConfig> = {}) {
  const store = memoryStore();
  const tools = [toolOf("look", () => "seen")];
  const { agent } = scripted([CALL, "The end"], { store, tools, sessionId: "s" });
  await agent.call("Look.");
  await agent.close();
  const session = await openSession(store, "s");
  const positions: { seq: number; state: unknown }[] = [];
  for await (const { seq, type, data } of session.entries())
    if (type === "position") positions.push({ seq, state: data["state"] });
  const at = positions.find(({ state }) => state === "reasoning.calling")!.seq;
  const model = scriptedModel(turns);
  const config: AgentConfig = { name: "bot", model, tools, store, sessionId: "s", ...more };
  return { store, session, at, model, config };
}

describe("rerun", () => {
  test("runs forks one after another and returns their replies; the original stays", async () => {
    const { session, at, model, config, store } = await recorded(["One", "Two", "Three"]);
    const before = await session.at();
    const runs = await rerun(config, { at, times: 3, changes: { system: "Count." } });
    expect(runs.map(({ reply }) => reply?.text)).toEqual(["One", "Two", "Three"]);
    expect(model.requests.map(({ messages }) => messages.map(textOf))).toEqual(
      [1, 2, 3].map(() => ["Count.", "Look."]),
    );
    expect(new Set(await session.forks())).toEqual(new Set(runs.map(({ sessionId }) => sessionId)));
    expect(await session.at()).toEqual(before);
    const [fork] = (await store.list({ meta: { forkedFrom: "s" } })).sessions;
    expect(fork).toMatchObject({ phase: "stopped", meta: { forkedAt: at } });
    expect(fork!.meta["forkedWith"]).toEqual([{ what: "system", of: "", now: "Count." }]);
  });

  test("a run that fails says why, and the others run", async () => {
    const bad = { error: new Error("no luck") };
    const { at, config } = await recorded(["One", bad, "Three"], {
      modelOptions: { execution: { maxAttempts: 1 } },
    });
    const runs = await rerun(config, { at, times: 3 });
    expect(runs.map(({ reply, error }) => reply?.text ?? error?.message)).toEqual([
      "One",
      "no luck",
      "Three",
    ]);
  });

  test("begins a new turn with `input`, and calls `onStart` with each agent", async () => {
    const { session, config, model } = await recorded(["One", "Two"]);
    const { seq } = await session.at();
    const started: string[] = [];
    const runs = await rerun(config, {
      at: seq,
      input: "And then?",
      times: 2,
      onStart: (agent) => void started.push(agent.sessionId),
    });
    expect(started).toEqual(runs.map(({ sessionId }) => sessionId));
    expect(model.requests.map(({ messages }) => textOf(messages.at(-1)!))).toEqual([
      "And then?",
      "And then?",
    ]);
  });

  test("runs as many at once as `parallel` says", async () => {
    let [running, most] = [0, 0];
    const turn: ScriptedTurn = async function* () {
      most = Math.max(most, ++running);
      for (let tick = 0; tick < 20; tick++) await new Promise(setImmediate);
      running--;
      yield { type: "text.delta", delta: "ok" } as const;
      yield { type: "finish", reason: "stop" } as const;
    };
    const { at, config } = await recorded([turn, turn, turn, turn]);
    expect(await rerun(config, { at, times: 4, parallel: 2 })).toHaveLength(4);
    expect(most).toBe(2);
  });

  test("an aborted signal interrupts the turn that runs, and no other begins", async () => {
    const controller = new AbortController();
    const turn: ScriptedTurn = async function* (_request, signal) {
      controller.abort();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      yield { type: "ping" } as const;
    };
    const { at, config, session } = await recorded([turn, "Two"]);
    const runs = await rerun(config, { at, times: 3, signal: controller.signal });
    expect(runs.map(({ error }) => error?.code)).toEqual(["run/aborted"]);
    expect(await session.forks()).toHaveLength(1);
    const late = rerun(config, { at, signal: controller.signal });
    await expect(late).rejects.toMatchObject({ code: "run/aborted" });
  });

  test.each<[string, Partial<AgentConfig>, object, string]>([
    ["a tool that the agent does not have", {}, { changes: { tools: ["fly"] } }, "session/bad-change"],
    ["a model that the agent does not have", {}, { changes: { model: "none" } }, "session/bad-change"],
    ["a message that is not there", {}, { changes: { messages: { m: "x" } } }, "session/bad-change"],
    ["a position that is not there", {}, { at: 999 }, "session/not-found"],
    ["no position", {}, { at: 0 }, "config/invalid"],
    ["too many forks", {}, { times: 101 }, "config/invalid"],
    ["a misspelt option", {}, { time: 2 }, "config/invalid"],
    ["a session that is not there", { sessionId: "none" }, {}, "session/not-found"],
    [
      "a model without a price where the cost is limited",
      {
        budget: { cost: 1 },
        modelOptions: { prices: { scripted: { input: 1, output: 1 } } },
        model: scriptedModel([], { withName: (name) => ({ ...scriptedModel([]), name }) }),
      },
      { changes: { model: "dear" } },
      "session/bad-change",
    ],
  ])("refuses %s, and forks nothing", async (_name, more, options, code) => {
    const { at, config, session } = await recorded([], more);
    await expect(rerun(config, { at, ...options })).rejects.toMatchObject({ code });
    expect(await session.forks()).toEqual([]);
  });

  test("refuses a configuration without a store or a session", async () => {
    const { at, config } = await recorded([]);
    const { store: _, ...withoutStore } = config;
    const { sessionId: __, ...withoutSession } = config;
    await expect(rerun(withoutStore, { at })).rejects.toMatchObject({ code: "config/invalid" });
    await expect(rerun(withoutSession, { at })).rejects.toMatchObject({ code: "config/invalid" });
  });
});
