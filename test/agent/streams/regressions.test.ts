// Faults of streams in other frameworks, each of which is not a fault here.
import { expect, test } from "vitest";
import { AgentError, createAgent, type AgentEvent } from "agentchart";
import type { ScriptedTurn } from "agentchart/testing";
import { openaiModel } from "../../../src/core/model/openai/index.ts";
import { eventsOf, scripted, toolOf } from "../../support/agents.ts";
import { eventsProblem } from "../../support/paired-events.ts";
import { show } from "../../support/trace.ts";

const tools = [
  toolOf("ok", (_, { emit }) => {
    emit("half");
    return "done";
  }),
];

/** A Chat Completions stream whose chunks have no id. */
const withoutIds: typeof fetch = async () => {
  const chunks = ["Hel", "lo"].map((content) => ({ choices: [{ index: 0, delta: { content } }] }));
  const end = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
  const body = [...chunks, end].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
  return new Response(`${body}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } });
};

test("S7 a response without an id gets one, the same in all its events and in the stored message", async () => {
  const model = openaiModel({
    model: "m",
    apiKey: "k",
    baseURL: "https://models.test/v1",
    fetch: withoutIds,
  });
  const agent = createAgent({ name: "bot", model });
  const ids: Set<string>[] = [];
  for (const input of ["a", "b"]) {
    const events = await eventsOf(agent.stream(input));
    ids.push(new Set(events.flatMap((event) => ("messageId" in event ? [event.messageId] : []))));
  }
  const stored = (await agent.messages()).filter(({ role }) => role === "assistant").map(({ id }) => id);
  expect(ids.map((each) => [...each])).toEqual(stored.map((id) => [id]));
  expect(new Set(stored).size).toBe(2);
});

test.each<[string, readonly ScriptedTurn[]]>([
  ["an empty answer", [{ finish: "stop" }, { finish: "stop" }, { finish: "stop" }]],
  ["a stream without any part", [[], [], []]],
  ["a refusal without text", [{ finish: "content_filter" }]],
  ["a model that throws at once", [{ error: new AgentError("model/auth", "no key") }]],
])("S26 the stream of %s ends, with the error", async (_, turns) => {
  const { agent } = scripted(turns);
  const events: AgentEvent[] = [];
  const read = async (): Promise<void> => {
    for await (const event of agent.stream("go")) events.push(event);
  };
  await expect(read()).rejects.toMatchObject({ code: expect.stringMatching(/^model\//) });
  expect(events.at(-1)).toMatchObject({ type: "turn.end", reason: "ERROR" });
  expect(eventsProblem(events)).toBeUndefined();
});

test("S31 every block ends before the next one starts, also when the parts come mixed", async () => {
  const mixed: ScriptedTurn = [
    { type: "thinking.delta", delta: "a" },
    { type: "text.delta", delta: "b" },
    { type: "tool.delta", key: 0, name: "ok", args: "{" },
    { type: "tool.delta", key: 1, name: "ok", args: "{}" },
    { type: "thinking.delta", delta: "c" },
    { type: "tool.delta", key: 0, args: "}" },
    { type: "finish", reason: "tool_calls" },
  ];
  const { agent } = scripted([mixed, "done"], { tools });
  const events = await eventsOf(agent.stream("go"));
  expect(eventsProblem(events)).toBeUndefined();
  expect(events.filter(({ type }) => type === "block.start")).toHaveLength(7);
});

test("S31 an answer that breaks off closes its block and its model call", async () => {
  const { agent } = scripted([{ text: "half", error: new AgentError("model/connection", "cut") }]);
  const events: AgentEvent[] = [];
  agent.subscribe((event) => events.push(event));
  await agent.call("go").catch(() => {});
  expect(eventsProblem(events)).toBeUndefined();
  expect(events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(["block.end", "model.end", "turn.end"]),
  );
});

test.each<[string, ScriptedTurn, string]>([
  ["nothing at all", [], "again"],
  ["thinking only", { thinking: "hm" }, "again"],
  ["blank text", { text: " \n" }, "again"],
  ["blank text that nobody says is all", [{ type: "text.delta", delta: " \n" }], "again"],
])("py6 an answer of %s is asked for again and not stored", async (_, turn, text) => {
  const { agent, model } = scripted([turn, text]);
  expect((await agent.call("go")).text).toBe(text);
  expect(model.requests[1]?.messages.map(show).at(-1)).toContain("Your last answer was empty");
  expect((await agent.messages()).map(show)).toEqual(["U[go]", `A[${text}]`]);
});

test("py6 a stream that breaks off before its first part is asked for again", async () => {
  const cut = new AgentError("model/connection", "cut", { isRetryable: true });
  const { agent } = scripted([{ error: cut }, "again"], {
    modelOptions: { execution: { initialBackoffMs: 1 } },
  });
  expect((await agent.call("go")).text).toBe("again");
});

test("F10 a stream that breaks off after its first part is not repeated: nobody reads its text twice", async () => {
  const cut = new AgentError("model/connection", "cut", { isRetryable: true });
  const { agent, model } = scripted([{ text: "half", error: cut }], {
    modelOptions: { execution: { maxAttempts: 5, initialBackoffMs: 1 } },
  });
  let heard = "";
  agent.subscribe((event) => event.type === "block.delta" && (heard += event.delta));
  await expect(agent.call("go")).rejects.toMatchObject({ code: "model/connection" });
  expect([heard, model.requests.length]).toEqual(["half", 1]);
});
