import { expect, test } from "vitest";
import { assistantMsg, userMsg, type AgentEvent, type Msg } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { followEvents } from "../../src/session/follow.ts";
import { readEntry } from "../../src/session/entry.ts";
import { EntryReader } from "../../src/session/replay.ts";
import { scripted, toolOf } from "../support/agents.ts";

/** What tools came to and what was said, without what only the running process knows. */
const gistOf = (events: readonly AgentEvent[]): string[] =>
  events.flatMap((event) => {
    if (event.type === "tool.end") return `${event.callId} ended ${event.result.state}`;
    return event.type === "message" ? `${event.message.role} said` : [];
  });

test.for([false, true])(
  "The journal tells every result once and before its message, as the running process did (parallel: %s)",
  async (parallelToolCalls) => {
    const store = memoryStore();
    const batch = (...ids: readonly string[]) => ({ calls: ids.map((id) => ({ id, name: "look" })) });
    const { agent } = scripted([batch("a"), batch("b", "c"), "Done", batch("d"), "Done"], {
      store,
      sessionId: "s",
      parallelToolCalls,
      tools: [
        toolOf("look", (_, { callId }) => {
          if (callId === "b") throw new Error("broken");
          return "seen";
        }),
      ],
    });
    const live: AgentEvent[] = [];
    agent.subscribe((event) => void live.push(event));
    await agent.call("One");
    await agent.call("Two");

    const told: AgentEvent[] = [];
    const ended = new AbortController();
    for await (const event of followEvents(store, "s", { after: 0, signal: ended.signal, pollMs: 10 })) {
      told.push(event);
      if (told.filter(({ type }) => type === "turn.end").length === 2) ended.abort();
    }
    expect(
      gistOf(told)
        .filter((line) => line.includes("ended"))
        .toSorted(),
    ).toEqual(["a ended success", "b ended error", "c ended success", "d ended success"]);
    expect(gistOf(told)).toEqual(gistOf(live));
    expect(told.every(({ n }) => n === 0)).toBe(true);
    await agent.close();
  },
);

test("The journal tells no message again that only moved: an orphan's result, a structured answer", async () => {
  const store = memoryStore();
  const asking: Msg = {
    ...assistantMsg(""),
    content: [{ type: "tool_use", id: "old", name: "look", input: {} }],
  };
  const call = { id: "a", name: "look" };
  const answer = { id: "b", name: "generate_response", input: { response: { city: "Rome" } } };
  const { agent } = scripted([{ calls: [call, answer] }], {
    store,
    sessionId: "s",
    messages: [asking, userMsg("Behind the orphan")],
    tools: [toolOf("look", () => "seen")],
  });
  const live: AgentEvent[] = [];
  agent.subscribe((event) => void live.push(event), { types: ["message"] });
  await agent.call("Where?", { output: { type: "object", properties: { city: { type: "string" } } } });

  const reader = new EntryReader();
  const told: string[] = [];
  for await (const entry of store.read("s"))
    for (const body of reader.events(readEntry(entry)))
      if (body.type === "message") told.push(JSON.stringify(body.message.content));
  const heard = live.map((event) => (event.type === "message" ? JSON.stringify(event.message.content) : ""));
  expect(told.slice(2)).toEqual(heard);
  await agent.close();
});
