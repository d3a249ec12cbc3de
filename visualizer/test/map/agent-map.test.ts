// The map of an agent, derived from chart, tools and facts.
import { describe, expect, test } from "vitest";
import { createAgent, defineHook, defineTool } from "agentchart";
import { agentTool } from "agentchart/team";
import { scriptedModel } from "agentchart/testing";
import { memoryStore } from "agentchart/store/memory";
import { z } from "zod";
import { agentMap, EDGES, edgeSteps } from "../../src/map/agent-map.ts";
import { cardsOf } from "../../src/map/cards.ts";
import { mapLog } from "../../src/map/map-log.ts";
import { itemsOfPlace, placeSteps } from "../../src/map/place-filter.ts";
import type { JsonObject } from "../../src/wire/types.ts";
import { stored } from "../logic/told-run.ts";
import { index, mapOf, observed, runOf } from "./mapped.ts";

const tool = (name: string, execute: () => string = () => "done", more: object = {}) =>
  defineTool({ name, description: name, input: z.object({ n: z.number() }), execute, ...more });
const call = (name: string, n: number, id = `${name}${n}`) => ({ id, name, input: { n } });

function payer() {
  let attempts = 0;
  const flaky = () => {
    if (attempts++ === 0) throw new Error("ETIMEDOUT");
    return "read";
  };
  const fail = () => {
    throw new Error("closed");
  };
  return createAgent({
    name: "payer",
    sessionId: "s",
    modelOptions: { prices: { scripted: { input: 2, output: 8 } } },
    tools: [
      tool("read", flaky, { idempotent: true, execution: { maxAttempts: 2, initialBackoffMs: 1 } }),
      tool("fail", fail),
      tool("pay", undefined, { permission: "ask" }),
      tool("never"),
    ],
    hooks: [
      defineHook({ name: "rules", preReasoning: ({ system }) => ({ system: `${system}!` }) }),
      defineHook({
        name: "cents",
        postActing: ({ result: { state } }) => ({
          result: {
            state: state === "error" ? state : "success",
            output: [{ type: "text", text: "1 cent" }],
          },
        }),
      }),
      defineHook({
        name: "polite",
        postCall: ({ reply }) => ({
          reply: { ...reply, content: [{ type: "text", text: "Please." }] },
        }),
      }),
      defineHook({ name: "silent", postReasoning: () => undefined }),
    ],
    model: scriptedModel([
      { text: "I read.", calls: [call("read", 1), call("fail", 1)] },
      { calls: [call("pay", 1)] },
      "Paid.",
    ]),
  });
}
const pay = () =>
  observed(payer(), async (agent) => {
    await agent.call("Pay.");
    await agent.decide("pay1", "approve", { by: "ada" });
    await agent.call();
  });

describe("The map of a run", () => {
  test("has what was offered, and counts calls, failures, retries and asks", async () => {
    const { tools } = mapOf(await pay());
    const counted = Object.fromEntries(
      tools.map(({ name, calls, failures, retries, asks, running }) => [
        name,
        [calls, failures, retries, asks, running],
      ]),
    );
    expect(counted).toEqual({
      read: [1, 1, 1, 0, 0],
      fail: [1, 1, 0, 0, 0],
      pay: [1, 0, 0, 1, 0],
      never: [0, 0, 0, 0, 0],
    });
    expect(tools.at(-1)).toMatchObject({ name: "never", isOffered: true });
  });

  test("has the model's calls, tokens and cost, the people who decided, and the answer", async () => {
    const map = mapOf(await pay());
    expect(map.lanes).toHaveLength(1);
    const [{ calls, usage }] = map.lanes as [(typeof map.lanes)[number]];
    expect(calls).toBe(3);
    expect(usage.inputTokens).toBeGreaterThan(0);
    expect(usage.cost).toBeGreaterThan(0);
    expect(map.people.asks).toBe(1);
    expect(map.people.waiting).toEqual([]);
    expect([...map.people.decisions]).toEqual([["approve", 1]]);
    expect(map.people.names).toEqual(["ada"]);
    expect([map.answers, map.reason, map.active]).toEqual([1, "MODEL_STOP", "answer"]);
  });

  test("does not know the cost of a run in which that of one persona is unknown", async () => {
    const run = await pay();
    const context = run.contextAt(run.last)!;
    const messages = context["messages"] as readonly JsonObject[];
    const answer = messages.findLast(({ role }) => role === "assistant")!;
    const other = { ...answer, id: "m9", metadata: { persona: "other" }, usage: { inputTokens: 5 } };
    const map = agentMap({
      log: mapLog(run, index),
      stepNumber: run.last,
      context: { ...context, messages: [...messages, other] },
      agent: "agent",
      active: undefined,
      innerRuns: new Map(),
    });
    expect(map.lanes.map(({ usage }) => usage.cost === undefined)).toEqual([false, true]);
    expect(map.usage.cost).toBeUndefined();
    const cards = cardsOf(map, { opened: new Set(), toolRows: 9, agentRows: 9, named: new Set() });
    const spent = cards.find(({ id }) => id === "model")!.rows.find(({ key }) => key === "spent")!;
    expect(spent.text).not.toContain("$");
  });

  test("counts of a plan what is done, not what was abandoned", async () => {
    const run = await pay();
    const subtasks = ["done", "abandoned", "in_progress", "todo"].map((state) => ({ state }));
    const { plan } = agentMap({
      log: mapLog(run, index),
      stepNumber: run.last,
      context: { slots: { plan: { value: { subtasks } } } },
      agent: "agent",
      active: undefined,
      innerRuns: new Map(),
    });
    expect(plan).toEqual({ done: 1, total: 4 });
  });

  test("names each hook at the point where it changed something, and counts those that changed nothing", async () => {
    const { hooks } = mapOf(await pay());
    const told = Object.fromEntries(hooks.map(({ point, name, changed }) => [`${point} ${name}`, changed]));
    expect(told).toMatchObject({
      "preReasoning rules": 3,
      "postActing cents": 3,
      "postCall polite": 2, // also when the turn rested
      "postReasoning ": 0,
    });
  });

  test("counts each edge as often as its steps say, and is empty before the first step", async () => {
    const run = await pay();
    const { edges } = mapOf(run);
    const taken = Object.fromEntries([...edges].map(([id, edge]) => [id, edge.taken]));
    expect(taken).toEqual({
      "input>prompt": 1,
      "prompt>model": 3,
      "model>tools": 4, // with the second attempt
      "tools>prompt": 4,
      "model>agents": 0,
      "agents>prompt": 0,
      "tools>people": 1,
      "people>tools": 1,
      "plan>prompt": 0,
      "model>answer": 1,
    });
    const before = mapOf(run, 1);
    expect([...before.edges.values()].every((edge) => edge.taken === 0)).toBe(true);
    expect(before.tools).toEqual([]);
  });

  test("only grows from step to step, and at each step is what it is when the run is read up to there", async () => {
    const run = await pay();
    let last = 0;
    for (let at = 1; at <= run.last; at++) {
      const { edges, lanes, tools } = mapOf(run, at);
      const sum = [...edges.values()].reduce((all, { taken }) => all + taken, 0);
      expect(sum).toBeGreaterThanOrEqual(last);
      last = sum;
      const works = mapLog(run, index).works.filter(({ from }) => from <= at);
      const running = works.filter(
        ({ kind, to }) => (kind === "model" || kind === "tool") && (to ?? Infinity) > at,
      );
      const shown = [...lanes, ...tools].reduce((all, each) => all + each.running, 0);
      expect({ at, shown }).toEqual({ at, shown: running.length });
    }
  });

  test("waits for people while a call waits for a decision", async () => {
    const run = await observed(payer(), (agent) => agent.call("Pay."));
    const map = mapOf(run);
    expect([map.active, map.people.waiting, map.reason]).toEqual(["people", ["pay"], "APPROVAL_REQUIRED"]);
    expect(map.edges.get("model>answer")?.taken).toBe(0);
  });

  test("of a sub-agent that waits has no result on its way back, and one call once it went on", async () => {
    const clerk = {
      name: "clerk",
      tools: [tool("pay", undefined, { permission: "ask" })],
      model: scriptedModel([{ calls: [call("pay", 1)] }, "Paid."]),
    };
    const asks = { calls: [{ id: "c", name: "call_clerk", input: { message: "Pay." } }] };
    const boss = createAgent({
      name: "boss",
      tools: [agentTool({ agent: clerk, description: "Pays." })],
      model: scriptedModel([asks, "Done."]),
    });
    const run = await observed(boss, async (agent) => {
      await agent.call("Pay.");
      await agent.decide(agent.status().pending[0]!.callId, "approve");
      await agent.call();
    });
    const taken = Array.from({ length: run.last }, (_, at) => {
      const { edges, agents } = mapOf(run, at + 1);
      return [agents[0]?.asks ?? 0, edges.get("model>agents")!.taken, edges.get("agents>prompt")!.taken];
    });
    expect(taken.findLast(([asks]) => asks === 1)).toEqual([1, 1, 1]);
    expect(taken.find(([asks]) => asks === 1)).toEqual([1, 1, 0]);
  });

  test("of a stored session tells the same of tools, people and edges as the live one", async () => {
    const store = memoryStore();
    const agent = createAgent({
      name: "clerk",
      sessionId: "s",
      store,
      tools: [tool("look"), tool("never")],
      model: scriptedModel([{ calls: [call("look", 1), call("look", 2)] }, "Seen."]),
    });
    const live = mapOf(await observed(agent, (each) => each.call("Look.")));
    const { log } = await stored(store, "s");
    const read = mapOf(runOf(log));
    const counts = ({ tools, edges }: typeof live) => [
      tools.map(({ name, calls, failures }) => [name, calls, failures]),
      [...edges].map(([id, { taken }]) => [id, taken]),
    ];
    expect(counts(read)).toEqual(counts(live));
  });

  test("has a lane for each persona, and the one that has the session is current", async () => {
    const agent = createAgent({
      name: "desk",
      tools: [tool("look")],
      personas: { billing: { sysPrompt: "You bill.", tools: [tool("bill")] } },
      handoffs: [{ to: "billing", description: "To billing." }],
      model: scriptedModel([
        { calls: [{ id: "t", name: "transfer_to_billing", input: { reason: "money" } }] },
        { calls: [call("bill", 1)] },
        "Billed.",
      ]),
    });
    const { lanes, tools } = mapOf(await observed(agent, (each) => each.call("Bill.")));
    expect(lanes.map(({ persona, calls, isCurrent }) => [persona, calls, isCurrent])).toEqual([
      [null, 1, false],
      ["billing", 2, true],
    ]);
    expect(tools.map(({ name }) => name)).toEqual(["bill", "look"]);
  });

  test("knows a tool as a sub-agent before it is called, and its run from the list of runs", async () => {
    const inner = { name: "researcher", model: scriptedModel(["Found."]) };
    const create = (answers: Parameters<typeof scriptedModel>[0]) =>
      createAgent({
        name: "planner",
        model: scriptedModel(answers),
        tools: [agentTool({ agent: inner, description: "Finds." })],
      });
    const unused = mapOf(await observed(create(["No."]), (agent) => agent.call("Plan.")));
    expect(unused.agents.map(({ agent, calls }) => [agent, calls])).toEqual([["researcher", 0]]);
    const asks = { calls: [{ id: "c", name: "call_researcher", input: { message: "What?" } }] };
    const run = await observed(create([asks, "Yes."]), (agent) => agent.call("Plan."));
    const used = mapOf(run, run.last, new Map([["c", { agent: "researcher", runId: "r" }]]));
    expect(used.tools).toEqual([]);
    expect(used.agents).toMatchObject([{ agent: "researcher", calls: 1, runId: "r" }]);
    expect(used.edges.get("model>agents")?.taken).toBe(1);
  });
});

describe("A place of the map", () => {
  test("filters the steps that its counts are made of", async () => {
    const run = await pay();
    const steps = (id: string, tools?: readonly string[]): readonly number[] =>
      placeSteps(run, index, { kind: "place", id, label: id, ...(tools && { tools }) });
    expect(steps("tool:never")).toEqual([]);
    expect(steps("tool:read").length).toBeGreaterThan(1);
    expect(steps("model")).toHaveLength(3);
    expect(steps("hook:postActing:cents")).toHaveLength(3);
    expect(steps("people").length).toBe(2);
    const { works } = mapLog(run, index);
    const shown = EDGES.map((id) => [
      id,
      steps(`edge:${id}`, id.includes("agents") ? [] : ["read", "fail", "pay"]),
    ]);
    const taken = EDGES.map((id) => [id, [...new Set(edgeSteps(mapLog(run, index), works, id, new Set()))]]);
    expect(shown).toEqual(taken);
  });

  test("filters the messages of the conversation", async () => {
    const run = await pay();
    const context = run.contextAt(run.last)!;
    const shown = (id: string) =>
      itemsOfPlace(context, { kind: "place", id, label: id }, 100).items.map((item) =>
        item.kind === "message" ? item.message.role : item.kind,
      );
    expect(shown("input")).toEqual(["user"]);
    expect(shown("tool:pay")).toEqual(["assistant"]);
    expect(shown("answer")).toEqual(["assistant"]);
    expect(shown("people")).toEqual(["assistant"]);
    expect(shown("tool:never")).toEqual([]);
    expect(shown("hook:postActing:cents")).toHaveLength(4);
  });
});
