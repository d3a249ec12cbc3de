import { describe, expect, test } from "vitest";
import { createAgent, type AgentConfig, type SessionStore } from "agentchart";
import { agentMachine, chartJson } from "agentchart/machines";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { JournalRun } from "../../../src/inspect/hub/journal-run.ts";
import { TransitionInference } from "../../../src/inspect/hub/transition-inference.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import type { Batch } from "../../../src/store/port.ts";
import { recordMicrosteps, type Microstep } from "../../e2e/support/record-microsteps.ts";
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

describe("TransitionInference.between", () => {
  const resume = edge("m.rest", "m.c", "session.resume");
  const inference = new TransitionInference({
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

  test("returns the edges that every path contains", () => {
    expect(inference.between("m.rest", "m.a", [])).toEqual(["m.rest-m.a"]);
    expect(inference.between("m.a", "m.c", [])).toEqual(["m.a-m.b"]);
    expect(inference.between("m.a", "m.d", [])).toEqual(["m.a-m.b", "m.c-m.d"]);
  });

  test("ignores paths through a service that was not used", () => {
    expect(inference.between("m.a", "m.d", [], "other")).toEqual(["m.a-m.b", "m.b.x-m.c", "m.c-m.d"]);
  });

  test("ignores paths through a resting state", () => {
    expect(inference.between("m.c", "m.a", [])).toEqual([]);
  });

  test("leaves out edges that a restore may have skipped", () => {
    expect(inference.between("m.a", "m.d", [resume])).toEqual(["m.c-m.d"]);
    expect(inference.between("m.rest", "m.c", [])).toEqual(["m.rest-m.a", "m.a-m.b"]);
  });

  test("returns no edges for unknown states and for parallel states", () => {
    expect(inference.between("m.x", "m.a", [])).toEqual([]);
    const parallel = { ...node("p", { initial: "p.a" }), type: "parallel" as const };
    const beside = new TransitionInference({
      id: "p",
      nodes: [parallel, node("p.a"), node("p.b")],
      edges: [edge("p.a", "p.b")],
    });
    expect(beside.between("p.a", "p.b", [])).toEqual([]);
  });
});

const chart = chartJson(agentMachine);

/** The edges that are inferred from the journal of a session. */
async function inferredEdges(store: SessionStore): Promise<readonly string[]> {
  const run = new JournalRun("s", chart);
  for await (const entry of store.read("s")) run.add(entry);
  return run.log.page(1, run.log.last).items.flatMap(({ x }) => x);
}

/** True if all inferred edges were taken, in this order. */
function areWithin(inferred: readonly string[], taken: readonly string[]): boolean {
  let at = -1;
  return inferred.every((id) => (at = taken.indexOf(id, at + 1)) >= 0);
}

/** A store that reports each batch before it is written. */
function reportingStore(onAppend: (batch: Batch) => void): SessionStore {
  const store = memoryStore();
  const append: SessionStore["append"] = async (id, batch) => {
    onAppend(batch);
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

/** An agent, and the microsteps that it makes. */
function observedAgent(config: Partial<AgentConfig> & Pick<AgentConfig, "model" | "store">) {
  const agent = createAgent({ name: "clerk", sessionId: "s", tools, parallelToolCalls: true, ...config });
  return { agent, microsteps: recordMicrosteps(agent) };
}

const edgesOf = (microsteps: readonly Microstep[]): readonly string[] =>
  microsteps.flatMap(({ edges }) => edges);

describe("JournalRun", () => {
  const turns = [call("look", "break"), call("sell"), "It is sold.", "You are welcome."];

  test("infers only edges that were taken, in turns with calls, an approval, limits and failures", async () => {
    const store = memoryStore();
    let failures = 1;
    const script = scriptedModel([...turns, call("look"), call("look"), "Enough."]);
    const { agent, microsteps } = observedAgent({
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
    const inferred = await inferredEdges(store);
    expect(areWithin(inferred, edgesOf(microsteps)), inferred.join("\n")).toBe(true);
    expect(inferred.filter((id) => id === "agent.stopped.idle|call|1")).toHaveLength(3);
    expect(inferred.filter((id) => id.startsWith("agent.acting.authorizing|")).length).toBeGreaterThan(2);
    expect(inferred.filter((id) => id.startsWith("agent.reasoning.calling|")).length).toBeGreaterThan(1);
  });

  test("infers only edges that were taken, for a session that was cut off after any batch and continued", async () => {
    const batches: { readonly batch: Batch; readonly steps: number }[] = [];
    const first = observedAgent({
      store: reportingStore((batch) => batches.push({ batch, steps: first.microsteps.length })),
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
      const next = observedAgent({ store, model: scriptedModel(["Well.", "Well.", "Well."]) });
      await next.agent.open();
      await next.agent.call("Go on.").catch(() => {});
      await next.agent.close();
      const inferred = await inferredEdges(store);
      const taken = [
        ...edgesOf(first.microsteps.slice(0, batches[cut - 1]!.steps)),
        ...edgesOf(next.microsteps),
      ];
      expect(areWithin(inferred, taken), `cut off after batch ${cut}:\n${inferred.join("\n")}`).toBe(true);
    }
  });

  test("infers fewer edges after a new inbox, which shows that the session may have been cut off", () => {
    const stats = { startedAt: 0, iterations: 1, modelCalls: 1, toolCalls: 0, usage: {} };
    const inferWith = (...between: readonly { readonly type: string; readonly data: JsonObject }[]) => {
      const run = new JournalRun("s", chart);
      const entries = [
        { type: "position", data: { state: "reasoning.calling", progress: { turn: 1, stats } } },
        ...between,
        { type: "position", data: { state: "acting.executing.committing" } },
      ];
      for (const [index, entry] of entries.entries()) run.add({ seq: index + 1, at: 0, ...entry });
      return run.log.newest!.x;
    };
    const whole = inferWith();
    expect(whole).toContain("agent.reasoning.calling|xstate.done.actor.callModel|0");
    const inbox = { input: [], steering: [], queued: [] };
    const cut = inferWith({ type: "kept", data: { inbox } });
    expect(cut).not.toContain("agent.reasoning.calling|xstate.done.actor.callModel|0");
    expect(cut).toContain("agent.acting.reviewing|xstate.done.actor.reviewCalls|0");
    expect(areWithin(cut, whole)).toBe(true);
  });
});
