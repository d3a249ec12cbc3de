import { describe, expect, test } from "vitest";
import { createAgent, type AgentConfig, type SessionStore } from "agentchart";
import { agentMachine, chartJson } from "agentchart/machines";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { FoldedRun } from "../../../src/inspect/hub/folded-run.ts";
import { Ways } from "../../../src/inspect/hub/ways.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import type { Batch } from "../../../src/store/port.ts";
import { truthOf, type Truth } from "../../e2e/support/truth.ts";
import { toolOf } from "../../support/agents.ts";

const node = (id: string, more: { initial?: string; invoke?: readonly string[] } = {}) => ({
  id,
  key: id.split(".").at(-1)!,
  ...(id.includes(".") && { parent: id.slice(0, id.lastIndexOf(".")) }),
  type: more.initial ? ("compound" as const) : ("atomic" as const),
  tags: [],
  entry: [],
  exit: [],
  invoke: [],
  ...more,
});
const edge = (source: string, target: string, event = "e") => ({
  id: `${source}-${target}`,
  source,
  targets: [target],
  kind: event === "" ? ("always" as const) : ("event" as const),
  event,
  actions: [],
  reenter: false,
});

describe("Of the edges between two states, those are named that every way takes", () => {
  const resume = edge("m.rest", "m.c", "session.resume");
  const ways = new Ways({
    id: "m",
    nodes: [
      node("m", { initial: "m.rest" }),
      node("m.rest"),
      node("m.a", { invoke: ["work"] }),
      node("m.b", { initial: "m.b.x" }),
      node("m.b.x"),
      node("m.b.y", { invoke: ["other"] }),
      node("m.c"),
      node("m.d"),
    ],
    edges: [
      edge("m.rest", "m.a"),
      edge("m.a", "m.b"),
      edge("m.b.x", "m.c", ""),
      edge("m.b.x", "m.b.y", ""),
      edge("m.b.y", "m.c"),
      edge("m.c", "m.d", ""),
      edge("m.d", "m.rest", ""),
      resume,
    ],
  });

  test("and not those that lead there with others", () => {
    expect(ways.between("m.rest", "m.a", [])).toEqual(["m.rest-m.a"]);
    expect(ways.between("m.a", "m.c", [])).toEqual(["m.a-m.b"]);
    expect(ways.between("m.a", "m.d", [])).toEqual(["m.a-m.b", "m.c-m.d"]);
  });

  test("and one that leads through a service that was not used is none", () => {
    expect(ways.between("m.a", "m.d", [], "other")).toEqual(["m.a-m.b", "m.b.x-m.c", "m.c-m.d"]);
  });

  test("and one that leads through a state of rest is none either", () => {
    expect(ways.between("m.c", "m.a", [])).toEqual([]);
  });

  test("and what a restore may have skipped is not named", () => {
    expect(ways.between("m.a", "m.d", [resume])).toEqual(["m.c-m.d"]);
    expect(ways.between("m.rest", "m.c", [])).toEqual(["m.rest-m.a", "m.a-m.b"]);
  });

  test("and none where states are unknown or stand beside each other", () => {
    expect(ways.between("m.x", "m.a", [])).toEqual([]);
    const parallel = { ...node("p", { initial: "p.a" }), type: "parallel" as const };
    const beside = new Ways({
      id: "p",
      nodes: [parallel, node("p.a"), node("p.b")],
      edges: [edge("p.a", "p.b")],
    });
    expect(beside.between("p.a", "p.b", [])).toEqual([]);
  });
});

const chart = chartJson(agentMachine);

/** The edges that the journal of a session names. */
async function namedIn(store: SessionStore): Promise<readonly string[]> {
  const run = new FoldedRun("s", chart);
  for await (const entry of store.read("s")) run.take(entry);
  return run.log.page(1, run.log.last).items.flatMap(({ x }) => x);
}

/** True if all were taken, in this order. */
function areWithin(named: readonly string[], taken: readonly string[]): boolean {
  let at = -1;
  return named.every((id) => (at = taken.indexOf(id, at + 1)) >= 0);
}

/** A store that tells of each batch when it is written. */
function telling(tell: (batch: Batch) => void): SessionStore {
  const store = memoryStore();
  const append: SessionStore["append"] = async (id, batch) => {
    tell(batch);
    return store.append(id, batch);
  };
  return new Proxy(store, { get: (of, key) => (key === "append" ? append : bound(of, key)) });
}

function bound(of: SessionStore, key: string | symbol): unknown {
  const value: unknown = Reflect.get(of, key);
  return typeof value === "function" ? value.bind(of) : value;
}

const call = (...names: readonly string[]) => ({ calls: names.map((name) => ({ name, input: {} })) });
const tools = [
  toolOf("look", () => "seen"),
  toolOf("break", () => Promise.reject(new Error("broken"))),
  toolOf("sell", () => "sold", { permission: "ask" }),
];

/** An agent and every step it takes. */
function watched(config: Partial<AgentConfig> & Pick<AgentConfig, "model" | "store">) {
  const agent = createAgent({ name: "clerk", sessionId: "s", tools, parallelToolCalls: true, ...config });
  return { agent, truth: truthOf(agent) };
}

const takenIn = (truth: readonly Truth[]): readonly string[] => truth.flatMap(({ edges }) => edges);

describe("A journal names no edge that was not taken", () => {
  const turns = [call("look", "break"), call("sell"), "It is sold.", "You are welcome."];

  test("in turns with calls, an approval, limits and failures", async () => {
    const store = memoryStore();
    let failures = 1;
    const script = scriptedModel([...turns, call("look"), call("look"), "Enough."]);
    const { agent, truth } = watched({
      store,
      maxIters: 3,
      modelExecution: { initialBackoffMs: 1, retryOn: "all" },
      model: {
        name: "shaky",
        async *stream(request, options) {
          if (failures-- > 0) throw new Error("down");
          yield* script.stream(request, options);
        },
      },
    });
    await agent.call("Sell it.");
    await agent.decide(agent.status().pending[0]!.callId, "approve");
    await agent.call();
    await agent.call("Thanks.");
    await agent.call("Look again and again.");
    await agent.close();
    const named = await namedIn(store);
    expect(areWithin(named, takenIn(truth)), named.join("\n")).toBe(true);
    expect(named.filter((id) => id === "agent.stopped.idle|call|1")).toHaveLength(3);
    expect(named.filter((id) => id.startsWith("agent.acting.authorizing|")).length).toBeGreaterThan(2);
    expect(named.filter((id) => id.startsWith("agent.reasoning.calling|")).length).toBeGreaterThan(1);
  });

  test("nor where the session was cut off at any point and went on", async () => {
    const batches: { readonly batch: Batch; readonly steps: number }[] = [];
    const first = watched({
      store: telling((batch) => batches.push({ batch, steps: first.truth.length })),
      model: scriptedModel(turns),
    });
    await first.agent.call("Sell it.");
    await first.agent.decide(first.agent.status().pending[0]!.callId, "approve");
    await first.agent.call();
    await first.agent.close();
    expect(batches.length).toBeGreaterThan(8);
    for (let cut = 1; cut < batches.length; cut += 1) {
      const store = memoryStore();
      const lease = (await store.acquire("s", { owner: "copy", ttlMs: 1_000 }))!;
      for (const { batch } of batches.slice(0, cut))
        await store.append("s", { ...batch, fence: lease.fence });
      await store.release(lease);
      const next = watched({ store, model: scriptedModel(["Well.", "Well.", "Well."]) });
      await next.agent.open();
      await next.agent.call("Go on.").catch(() => {});
      await next.agent.close();
      const named = await namedIn(store);
      const taken = [...takenIn(first.truth.slice(0, batches[cut - 1]!.steps)), ...takenIn(next.truth)];
      expect(areWithin(named, taken), `cut off after batch ${cut}:\n${named.join("\n")}`).toBe(true);
    }
  });

  test("and fewer where it may have been cut off, which a new inbox shows", () => {
    const stats = { startedAt: 0, iterations: 1, modelCalls: 1, toolCalls: 0, usage: {} };
    const namedWith = (...between: readonly { readonly type: string; readonly data: JsonObject }[]) => {
      const run = new FoldedRun("s", chart);
      const entries = [
        { type: "position", data: { state: "reasoning.calling", progress: { turn: 1, stats } } },
        ...between,
        { type: "position", data: { state: "acting.executing.committing" } },
      ];
      for (const [index, entry] of entries.entries()) run.take({ seq: index + 1, at: 0, ...entry });
      return run.log.newest!.x;
    };
    const whole = namedWith();
    expect(whole).toContain("agent.reasoning.calling|xstate.done.actor.callModel|0");
    const inbox = { input: [], steering: [], queued: [] };
    const cut = namedWith({ type: "kept", data: { inbox } });
    expect(cut).not.toContain("agent.reasoning.calling|xstate.done.actor.callModel|0");
    expect(cut).toContain("agent.acting.reviewing|xstate.done.actor.reviewCalls|0");
    expect(areWithin(cut, whole)).toBe(true);
  });
});
