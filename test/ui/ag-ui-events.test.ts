// Events of an agent as those of AG-UI.
import { EventSchema } from "@ag-ui/core/schemas";
import { HttpAgent, type Message } from "@ag-ui/client";
import { describe, expect, test } from "vitest";
import type { AgentConfig, AgentEvent, Hook, Json, Msg } from "agentchart";
import { readRunInput, toAgUiEvents, type AgUiEvent } from "agentchart/ui";
import { todoTool } from "agentchart/plan";
import { agentTool } from "agentchart/team";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { eventsOf, scripted, toolOf } from "../support/agents.ts";
import { GOLDEN_RUNS } from "../support/golden-runs.ts";
import { call, traced } from "../support/trace.ts";
import { scriptModel } from "../server/script-model.ts";

/** What a store keeps, and what a subscriber who was not there receives. */
const DURABLE = new Set(["message", "pending", "turn.end"]);
const IDS = { threadId: "t", runId: "r" };

async function* iterate<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}

async function runOf(
  events: readonly AgentEvent[],
  messages: readonly Msg[] = [],
  slots: { readonly [name: string]: Json } = {},
) {
  const run: AgUiEvent[] = [];
  for await (const event of toAgUiEvents(iterate(events), { ...IDS, messages, slots })) {
    const json: unknown = JSON.parse(JSON.stringify(event));
    expect(EventSchema.safeParse(json).success, JSON.stringify(event)).toBe(true);
    expect(EventSchema.parse(json)).toEqual(json);
    run.push(event);
  }
  return run;
}

/** The messages that the client of AG-UI makes of a run, which checks the order of the events. */
async function messagesOf(run: readonly AgUiEvent[], before: readonly Message[] = []): Promise<Message[]> {
  const { messages } = await clientOf(run, before);
  return messages.filter(({ role, content }) => role !== "reasoning" || content !== "");
}

/** The client of AG-UI after a run. */
async function clientOf(run: readonly AgUiEvent[], before: readonly Message[] = []): Promise<HttpAgent> {
  const frames = run.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const headers = { "Content-Type": "text/event-stream" };
  const client = new HttpAgent({
    url: "http://localhost/agui",
    initialMessages: structuredClone(before) as Message[],
    fetch: async () => new Response(frames, { headers }),
  });
  await client.runAgent();
  return client;
}

/** Messages in a form that does not depend on how the JSON of arguments is written. */
function settled(messages: readonly Message[]): unknown {
  return messages.map((message) => {
    if (message.role !== "assistant") return message;
    const { toolCalls = [], content = "", ...rest } = message;
    const calls = toolCalls.map(({ id, function: { name, arguments: json } }) => [
      id,
      name,
      JSON.parse(json) as unknown,
    ]);
    return { ...rest, content, calls };
  });
}

/** The events of each call of a run, turn by turn as they were begun and resumed. */
async function eventsOfCalls(name: string): Promise<readonly (readonly AgentEvent[])[]> {
  const calls: AgentEvent[][] = [];
  const play = GOLDEN_RUNS[name]! as never as (
    start: (turns: readonly ScriptedTurn[], config?: Partial<AgentConfig>) => ReturnType<typeof traced>,
  ) => Promise<void>;
  await play((turns, config) => {
    const run = traced(turns, config);
    run.agent.subscribe((event) => {
      if (event.type === "turn.start") calls.push([]);
      calls.at(-1)!.push(event);
    });
    return run;
  });
  return calls;
}

const storedIn = (events: readonly AgentEvent[]): readonly Msg[] =>
  events.flatMap((event) => (event.type === "message" && !event.source ? [event.message] : []));

describe("the run of a turn", () => {
  test.each(Object.keys(GOLDEN_RUNS))(
    "%s: is valid, and a page that joins at any event has the same messages",
    async (name) => {
      const before: AgentEvent[] = [];
      for (const events of await eventsOfCalls(name)) {
        const messages = storedIn(before);
        const run = await runOf(events, messages);
        expect(run.filter(({ type }) => type === "RUN_FINISHED" || type === "RUN_ERROR")).toHaveLength(1);
        const whole = settled(await messagesOf(run));
        expect(whole).toEqual(settled(await messagesOf(await runOf([], [...messages, ...storedIn(events)]))));
        for (let cut = 0; cut <= events.length; cut++) {
          const joined = events.filter((event, index) => index >= cut || DURABLE.has(event.type));
          expect(settled(await messagesOf(await runOf(joined, messages))), `joined at ${cut}`).toEqual(whole);
          // the page has lost its stream after an event, and is given the transcript and the turn from its beginning
          const had = await messagesOf(run.slice(0, cut + 3));
          const again = await runOf(events, [...messages, ...storedIn(events.slice(0, cut))]);
          const kept = (settled(await messagesOf(again, had)) as Message[]).toSorted(byId);
          expect(kept, `again after ${cut}`).toEqual((whole as Message[]).toSorted(byId));
        }
        before.push(...events);
      }
    },
  );

  test("takes back what a hook has replaced, with reasoning, and arguments that it has changed", async () => {
    const { agent } = scripted(
      [
        async function* () {
          yield { type: "thinking.delta", delta: "hm" };
          yield { type: "text.delta", delta: "first draft" };
          yield { type: "finish", reason: "stop" };
        },
      ],
      {
        hooks: [
          {
            name: "censor",
            postReasoning: ({ message }) => ({
              message: { ...message, content: [{ type: "text", text: "censored" }] },
            }),
          },
        ],
      },
    );
    const run = await runOf(await eventsOf(agent.stream("go")));
    expect(JSON.stringify(run)).toContain("first draft");
    expect(JSON.stringify(await messagesOf(run))).toMatch(/censored/);
    expect(JSON.stringify(await messagesOf(run))).not.toMatch(/draft|hm/);

    const changed = scripted([{ calls: [{ ...call("c1", "work"), input: { n: 1 } }] }, "ok"], {
      hooks: [
        {
          name: "change",
          postReasoning: ({ message }) => ({
            message: {
              ...message,
              content: message.content.map((block) =>
                block.type === "tool_use" ? { ...block, input: { n: 2 } } : block,
              ),
            },
          }),
        },
      ],
    });
    const events = await eventsOf(changed.agent.stream("go"));
    const shown = await messagesOf(await runOf(events));
    expect(settled(shown)).toEqual(settled(await messagesOf(await runOf([], storedIn(events)))));
    expect(JSON.stringify(settled(shown))).toContain('{"n":2}');
  });
});

const byId = (one: Message, other: Message): number => (one.id < other.id ? -1 : 1);

const body = (more: object) => ({ ...IDS, messages: [], tools: [], context: [], ...more });
const user = (content: unknown, id: unknown = "m1") => [{ id, role: "user", content }];

test("the client is told the state of the chart, what the answers have used, the plan and the list of things", async () => {
  const usage = { inputTokens: 10, outputTokens: 2 };
  const { agent } = scripted(
    [
      {
        calls: [
          { id: "c1", name: "write_todos", input: { todos: [{ content: "Look.", status: "in_progress" }] } },
        ],
        usage,
      },
      { text: "Done.", usage },
      { text: "More.", usage },
    ],
    { tools: [todoTool()] },
  );
  const run = await runOf(await eventsOf(agent.stream("Go.")));
  const { state } = await clientOf(run);
  expect(state).toMatchObject({
    plan: null,
    todos: [{ content: "Look." }],
    usage: { inputTokens: 20, outputTokens: 4 },
  });
  expect(run.filter(({ type }) => type === "STATE_SNAPSHOT")).toEqual([
    { type: "STATE_SNAPSHOT", snapshot: { state: null, usage: {}, plan: null, todos: null } },
  ]);
  const states = run.flatMap((event) => (event.type === "STATE_DELTA" ? event.delta : []));
  expect(states.filter(({ path }) => path === "/state").map(({ value }) => value)).toContain(
    "acting.executing",
  );

  const slots = { todos: [{ content: "Look.", status: "completed" }], secret: "not for pages" };
  const messages = await agent.messages();
  const next = await clientOf(await runOf(await eventsOf(agent.stream("More.")), messages, slots));
  expect(next.state).toMatchObject({ todos: slots.todos, usage: { inputTokens: 30, outputTokens: 6 } });
  expect(JSON.stringify(next.state)).not.toContain("secret");
});

test("a body with nothing new asks for nothing", () => {
  expect(readRunInput(body({}), [])).toEqual({ ...IDS, decisions: [] });
  const messages = [...user("Hi"), { id: "m2", role: "assistant", content: "Ho" }];
  expect(readRunInput(body({ messages }), [])).toEqual({ ...IDS, decisions: [] });
  expect(readRunInput(body({ messages: user([{ type: "text", text: "Hi" }]) }), [])).toMatchObject({
    text: "Hi",
    messageId: "m1",
  });
});

test.each([
  ["no object", null, /the body is not an object/],
  ["no ids", { messages: [] }, /`threadId` is not a string/],
  ["no messages", IDS, /`messages` is not an array/],
  ["an empty text", body({ messages: user(" ") }), /is empty/],
  ["an image", body({ messages: user([{ type: "image" }]) }), /type "image"/],
  ["a message without an id", body({ messages: user("Hi", "") }), /`id` of the message/],
  [
    "a resume of nothing",
    body({ resume: [{ interruptId: "c9#x", status: "resolved" }] }),
    /'c9' does not wait/,
  ],
])("a body with %s is refused with what is wrong", (_, input, message) => {
  expect(() => readRunInput(input, [])).toThrow(message);
});

describe("a sub-agent", () => {
  /** An agent that asks researchers, each of which looks something up. */
  function desk(asks: number, action: "allow" | "ask" = "allow") {
    const look = toolOf("look", () => "seen");
    const permissions = { rules: [{ tool: "look", action }] } as const;
    const model = () => scriptModel({ text: "I look.", calls: [call("l1", "look")] }, "Found.");
    const researcher = agentTool({
      name: "call_ada",
      agent: () => ({ name: "ada", model: model(), tools: [look], permissions }),
    });
    const calls = Array.from({ length: asks }, (_, index) => ({
      id: `c${index + 1}`,
      name: "call_ada",
      input: { message: "Look." },
    }));
    return scripted([{ calls }, "Done."], { tools: [researcher] }).agent;
  }

  test("is shown with what it says and calls, also if several run at once", async () => {
    const run = await runOf(await eventsOf(desk(2).stream("Go.")));
    const started = run.filter(({ type }) => type === "SUBAGENT_STARTED");
    expect(started).toEqual([
      { type: "SUBAGENT_STARTED", subagentRunId: "c1", name: "ada", parentToolCallId: "c1" },
      { type: "SUBAGENT_STARTED", subagentRunId: "c2", name: "ada", parentToolCallId: "c2" },
    ]);
    expect(run.filter(({ type }) => type === "SUBAGENT_FINISHED")).toHaveLength(2);
    const messages = await messagesOf(run);
    const said = (id?: string) =>
      messages.filter((message) => message.subagentRunId === id).map(({ role, content }) => [role, content]);
    expect(said("c1")).toEqual(said("c2"));
    expect(said("c1")).toEqual([
      ["user", "Look."],
      ["assistant", "I look."],
      ["tool", "seen"],
      ["assistant", "Found."],
    ]);
    expect(said().at(-1)).toEqual(["assistant", "Done."]);
  });

  test("that waits for an approval is suspended, and goes on as the same", async () => {
    const agent = desk(1, "ask");
    const first = await runOf(await eventsOf(agent.stream("Go.")));
    const [pending] = agent.status().pending;
    expect(first.findLast(({ type }) => type === "SUBAGENT_FINISHED")).toMatchObject({
      subagentRunId: "c1",
      outcome: { type: "suspended", interruptIds: [`${pending!.callId}#${pending!.argsHash}`] },
    });
    expect(first.at(-1)).toMatchObject({
      outcome: { type: "interrupt", interrupts: [{ toolCallId: "c1/l1" }] },
    });
    await agent.decide(pending!.callId, "approve");
    const messages = await agent.messages();
    const second = await runOf(await eventsOf(agent.stream()), messages);
    expect(second.find(({ type }) => type === "SUBAGENT_STARTED")).toMatchObject({ subagentRunId: "c1" });
    expect(second.find(({ type }) => type === "SUBAGENT_FINISHED")).toMatchObject({
      outcome: { type: "success" },
    });
    const shown = await messagesOf(second, await messagesOf(first));
    expect(shown.map(({ content }) => content)).toEqual(expect.arrayContaining(["Found.", "Done."]));
  });

  test("of a sub-agent is shown inside of it, and what a hook has replaced is taken back", async () => {
    const censor: Hook = {
      name: "censor",
      postReasoning: ({ message }) => ({
        message: { ...message, content: [{ type: "text", text: "Censored." }] },
      }),
    };
    const ask = (id: string, name: string) => ({
      text: `I ask ${name}.`,
      calls: [{ id, name, input: { message: "Look." } }],
    });
    const reader = agentTool({
      agent: { name: "reader", model: scriptedModel(["A secret."]), hooks: [censor] },
    });
    const writer = {
      name: "writer",
      model: scriptedModel([ask("r1", "call_reader"), "Written."]),
      tools: [reader],
    };
    const { agent } = scripted([ask("w1", "call_writer"), "Done."], {
      tools: [agentTool({ agent: writer })],
    });
    const run = await runOf(await eventsOf(agent.stream("Go.")));
    expect(run.filter(({ type }) => type === "SUBAGENT_STARTED")).toEqual([
      { type: "SUBAGENT_STARTED", subagentRunId: "w1", name: "writer", parentToolCallId: "w1" },
      {
        type: "SUBAGENT_STARTED",
        subagentRunId: "w1/r1",
        name: "reader",
        parentToolCallId: "w1/r1",
        parentSubagentRunId: "w1",
      },
    ]);
    const messages = await messagesOf(run);
    expect(messages.filter(({ subagentRunId }) => subagentRunId === "w1/r1").at(-1)).toMatchObject({
      content: "Censored.",
    });
    expect(messages.filter(({ subagentRunId }) => subagentRunId === "w1").at(-1)).toMatchObject({
      content: "Written.",
    });
    expect(messages.map(({ content }) => content)).toContain("Go.");
    expect(JSON.stringify(messages)).not.toContain("secret");
  });
});

describe("what became of a call", () => {
  test("a page gets it with the result, and the arguments with which it ran", async () => {
    const hook: Hook = { name: "limit", preActing: () => ({ input: { amount: 310 } }) };
    const { agent } = scripted([{ calls: [{ id: "c", name: "pay", input: { amount: 31 } }] }, "done"], {
      tools: [toolOf("pay", ({ amount }) => `sent ${String(amount)}`)],
      hooks: [hook],
    });
    const events = await eventsOf(agent.stream("go"));
    const run = await runOf(events);
    const account = { changed: [{ by: { hook: "limit" }, at: expect.any(Number), input: { amount: 310 } }] };
    expect(run.filter(({ type }) => type === "CUSTOM")).toEqual([
      { type: "CUSTOM", name: "call.account", value: { toolCallId: "c", account } },
    ]);
    const asked = { id: "c", type: "function", function: { name: "pay", arguments: '{"amount":310}' } };
    for (const messages of [await messagesOf(run), await messagesOf(await runOf([], await agent.messages()))])
      expect(messages).toContainEqual(expect.objectContaining({ role: "assistant", toolCalls: [asked] }));
  });
});
