// The events of inner agents, as events of the outermost one.
import { describe, expect, test } from "vitest";
import { createAgent, type AgentConfig, type AgentEvent, type Tool } from "agentchart";
import { agentTool, type AgentToolAgent } from "agentchart/team";
import { scriptedModel } from "agentchart/testing";
import { eventsOf, outputOf, resultsOf, toolOf } from "../../support/agents.ts";
import { eventsProblem } from "../../support/paired-events.ts";

const call = (id: string, name: string) => ({ calls: [{ id, name, input: { message: "m" } }] });

/** An agent that looks something up with another agent below it. */
const researcher = (): AgentToolAgent => ({
  name: "researcher",
  model: scriptedModel([call("call_7", "call_reader"), "Found."]),
  tools: [
    agentTool({
      agent: {
        name: "reader",
        model: scriptedModel([call("call_9", "read"), "Read."]),
        tools: [toolOf("read", (_, { emit }) => (emit("page 1"), "text"))],
      },
    }),
  ],
});

const desk = (agent: AgentToolAgent, forward = true, config: Partial<AgentConfig> = {}) =>
  createAgent({
    name: "desk",
    model: scriptedModel([call("call_1", "call_researcher"), "End."]),
    tools: [agentTool({ agent, forward })],
    ...config,
  });

/** What these events are about, in the order of their names. */
function idsOf(events: readonly AgentEvent[], type: string): string[] {
  return events
    .filter((event) => event.type === type)
    .map((event) => {
      if ("messageId" in event) return `${event.messageId} ${"index" in event ? event.index : ""}`;
      return "call" in event ? event.call.id : "callId" in event ? (event.callId ?? "") : "";
    })
    .toSorted();
}

describe("the events of inner agents", () => {
  test("are events of the outermost one, with their source, in pairs and with ids that are unique in it", async () => {
    const events = await eventsOf(desk(researcher()).stream("go"));
    expect(eventsProblem(events.filter(({ source }) => !source))).toBeUndefined();
    for (const [start, end] of [
      ["model.start", "model.end"],
      ["block.start", "block.end"],
      ["tool.start", "tool.end"],
    ])
      expect(idsOf(events, end!)).toEqual(idsOf(events, start!));
    const sources = new Set(events.map(({ source }) => source?.join("/")));
    expect(sources).toEqual(new Set([undefined, "researcher", "researcher/reader"]));
    const tools = events.filter(({ type }) => type === "tool.start" || type === "tool.end");
    expect(
      tools.map((event) => ("call" in event ? event.call.id : "callId" in event && event.callId)),
    ).toEqual([
      "call_1",
      "call_1/call_7",
      "call_1/call_7/call_9",
      "call_1/call_7/call_9",
      "call_1/call_7",
      "call_1",
    ]);
    expect(events.find(({ type }) => type === "tool.delta")).toMatchObject({
      callId: "call_1/call_7/call_9",
      delta: "page 1",
      source: ["researcher", "reader"],
    });
    const text = events.flatMap((event) =>
      event.type === "block.delta" && event.kind === "text" && event.source ? [event.delta] : [],
    );
    expect(text.join(" ")).toBe("Read. Found.");
    expect(events.filter(({ type }) => type === "turn.start" || type === "turn.end")).toHaveLength(2);
    expect(events.map(({ n }) => n)).toEqual(events.map((_, index) => index + events[0]!.n));
  });

  test("are not there without `forward`, and the text of the agent is progress of the call", async () => {
    const events = await eventsOf(desk(researcher(), false).stream("go"));
    expect(events.filter(({ source }) => source)).toEqual([]);
    const deltas = events.filter(
      (event): event is AgentEvent & { type: "tool.delta" } => event.type === "tool.delta",
    );
    expect(deltas).toMatchObject([{ callId: "call_1", delta: "Found." }]);
  });
});

describe("agents that call each other", () => {
  test("deeper than `maxDepth` are refused with the path", () => {
    const model = scriptedModel([]);
    const chain = (names: readonly string[]): AgentToolAgent => {
      const [name = "", ...rest] = names;
      return { name, model, tools: rest.length > 0 ? [agentTool({ agent: chain(rest), maxDepth: 9 })] : [] };
    };
    expect(() => agentTool({ agent: chain(["a", "b", "c", "d"]) })).toThrow(
      expect.objectContaining({
        code: "config/invalid",
        message: expect.stringContaining("a/b/c/d are nested 4 deep; expected at most 3") as string,
      }),
    );
    expect(() => agentTool({ agent: chain(["a", "b", "a"]) })).toThrow(
      /Agent 'a' would run inside of itself: .*a\/b\/a\./u,
    );
  });

  test("in a circle that only a call shows have an error with the path as their result", async () => {
    const model = scriptedModel([call("call_1", "call_agent"), "End."]);
    const inner = scriptedModel([call("call_7", "call_agent"), "Stopped."]);
    const circle: Tool = agentTool({
      agent: (): AgentToolAgent => ({ name: "researcher", model: inner, tools: [circle] }),
    });
    const agent = createAgent({ name: "desk", model, tools: [circle] });
    expect((await agent.call("go")).text).toBe("End.");
    expect(JSON.stringify(inner.requests[1]?.messages)).toContain("desk/researcher/researcher");
  });

  test.each([
    [{ store: {} }, "has a `store`"],
    [{ sessionId: "x" }, "has a `sessionId`"],
  ])("say nothing of their session: %j", (more, problem) => {
    const agent = { name: "a", model: scriptedModel([]), ...more } as AgentToolAgent;
    expect(() => agentTool({ agent })).toThrow(problem);
  });

  test.each([
    [{}, "`agent`"],
    [
      { agent: { name: "a", model: scriptedModel([]) }, input: { type: "object" } },
      "`input` needs a `prompt`",
    ],
    [{ agent: {} }, "`agent` has no `name`"],
    [{ agent: { name: "a" }, maxDept: 1 }, "`maxDepth`"],
  ])("are checked: %j", (options, problem) => {
    expect(() => agentTool(options as never)).toThrow(problem);
  });

  test("have tools with different names that providers accept", () => {
    const model = scriptedModel([]);
    const names = ["researcher", "the reader", "the_reader", "x".repeat(80)].map(
      (name) => agentTool({ agent: { name, model } }).name,
    );
    expect(names[0]).toBe("call_researcher");
    expect(new Set(names).size).toBe(4);
    for (const name of names) expect(name).toMatch(/^[\w-]{1,64}$/u);
  });

  test("whose function returns none have an error as their result", async () => {
    const agent = createAgent({
      name: "desk",
      model: scriptedModel([call("call_1", "call_agent"), "End."]),
      tools: [agentTool({ agent: () => null as never })],
    });
    await agent.call("go");
    expect(outputOf(resultsOf(await agent.messages())[0])).toContain("returned no configuration");
  });
});
