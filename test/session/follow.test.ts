// Followers of a journal hear each thing once, in order.
import { expect, test } from "vitest";
import { assistantMsg, userMsg, type AgentEvent, type Msg, type SessionStore } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { followEvents } from "../../src/session/follow.ts";
import { readEntry } from "../../src/session/read-entry.ts";
import { EntryReader } from "../../src/session/replay.ts";
import { scripted, toolOf } from "../support/agents.ts";

/** The calls, messages and ends of turns, without what only the running process knows. */
const gistOf = (events: readonly AgentEvent[]): string[] =>
  events.flatMap((event) => {
    if (event.type === "tool.start") return `${event.call.id} started, attempt ${event.attempt}`;
    if (event.type === "tool.end") return `${event.callId} ended ${event.result.state}`;
    if (event.type === "pending") return event.calls.map(({ callId, waitsFor }) => `${callId}: ${waitsFor}`);
    if (event.type === "turn.end") return `turn ended: ${event.error?.code ?? event.reason}`;
    return event.type === "message" ? `${event.message.role} said` : [];
  });

/** The events of a stored session until `turns` turns have ended. */
async function follow(store: SessionStore, turns: number): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  const ended = new AbortController();
  for await (const event of followEvents(store, "s", { after: 0, signal: ended.signal, pollMs: 10 })) {
    events.push(event);
    if (events.filter(({ type }) => type === "turn.end").length === turns) ended.abort();
  }
  return events;
}

test.for([false, true])(
  "a follower of the journal gets each start, result and message once, in the order of the agent (parallel: %s)",
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

    const followed = await follow(store, 2);
    expect(
      gistOf(followed)
        .filter((line) => line.includes("ended"))
        .toSorted(),
    ).toEqual([
      "a ended success",
      "b ended error",
      "c ended success",
      "d ended success",
      "turn ended: MODEL_STOP",
      "turn ended: MODEL_STOP",
    ]);
    expect(gistOf(followed)).toEqual(gistOf(live));
    expect(followed.every(({ n }) => n === 0)).toBe(true);
    await agent.close();
  },
);

test("a follower of the journal gets the calls of a suspended turn after the message that asks, before its end", async () => {
  const store = memoryStore();
  const ask = { id: "a", name: "pay" };
  const { agent } = scripted([{ calls: [ask, { id: "b", name: "out" }] }, "Done"], {
    store,
    sessionId: "s",
    tools: [toolOf("pay", () => "paid", { permission: "ask" }), toolOf("out")],
  });
  const live: AgentEvent[] = [];
  agent.subscribe((event) => void live.push(event));
  await agent.call("Pay");
  await expect(agent.call()).rejects.toMatchObject({ code: "run/undecided" }); // the calls are still open
  await agent.decide("a", "approve");
  await agent.call();
  await agent.decide("b", { answer: "42" });
  await agent.call();

  const followed = await follow(store, 4);
  expect(gistOf(followed)).toEqual([
    "user said",
    "assistant said",
    "a started, attempt 0",
    "a ended suspended",
    "a: approval",
    "turn ended: APPROVAL_REQUIRED",
    "a: approval",
    "turn ended: run/undecided",
    "a started, attempt 1",
    "a ended success",
    "b started, attempt 1",
    "b ended suspended",
    "tool said",
    "b: externalResult",
    "turn ended: TOOL_SUSPENDED",
    "b started, attempt 0",
    "b ended success",
    "tool said",
    "assistant said",
    "turn ended: MODEL_STOP",
  ]);
  const [pending] = followed.filter((event) => event.type === "pending");
  const [first] = live.filter((event) => event.type === "pending");
  expect(pending?.calls).toEqual(first?.calls);
  expect(gistOf(followed)).toEqual(gistOf(live));
  await agent.close();
});

test("a live event is yielded after the journal entries before it, and before those after it", async () => {
  const store = memoryStore();
  const { agent } = scripted(["one", "two"], { store, sessionId: "s" });
  await agent.call("first");
  const { seq } = agent.status();
  let emit = (_: AgentEvent): void => {};
  let changed = (): void => {};
  const ended = new AbortController();
  const { watch: _, ...unwatched } = store; // nothing but live events says that the journal has become longer
  const events = followEvents(unwatched, "s", {
    after: seq,
    signal: ended.signal,
    pollMs: 2_000_000_000,
    live: (listener, onChange) => {
      [emit, changed] = [listener, onChange];
      return { grown() {}, stop() {} };
    },
  });
  const seen: string[] = [];
  const reading = (async () => {
    for await (const event of events) {
      seen.push(event.type === "tool.delta" ? event.delta : event.type);
      if (event.type === "turn.end") ended.abort();
    }
  })();
  const delta = (text: string, at: number) =>
    emit({ type: "tool.delta", delta: text, seq: at } as AgentEvent);
  delta("now", seq);
  await expect.poll(() => seen).toEqual(["now"]);
  await agent.call("second");
  let inputAt = 0;
  for await (const entry of store.read("s", { after: seq }))
    if (entry.type === "messages" && inputAt === 0) inputAt = entry.seq;
  delta("after the input", inputAt);
  await expect.poll(() => seen).toContain("turn.end");
  changed();
  await reading;
  expect(seen).toEqual(["now", "message", "after the input", "message", "turn.end"]);
  await agent.close();
});

test("a follower of the journal gets no message again that only moved: an orphan's result, a structured answer", async () => {
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
  const followed: string[] = [];
  for await (const entry of store.read("s"))
    for (const body of reader.events(readEntry(entry)))
      if (body.type === "message") followed.push(JSON.stringify(body.message.content));
  const heard = live.map((event) => (event.type === "message" ? JSON.stringify(event.message.content) : ""));
  expect(followed.slice(2)).toEqual(heard);
  await agent.close();
});

test("a follower of a session that is deleted and begins again is told so", async () => {
  const store = memoryStore();
  const talk = async (...said: readonly string[]): Promise<void> => {
    const { agent } = scripted(said, { store, sessionId: "s" });
    for (const text of said) await agent.call(text);
    await agent.close();
  };
  await talk("One", "Two");
  const followed = followEvents(store, "s", { after: 0, signal: new AbortController().signal, pollMs: 10 });
  const ended = (async () => {
    let turns = 0;
    for await (const { type } of followed) {
      if (type !== "turn.end" || ++turns < 2) continue;
      await store.delete("s");
      void talk("Three");
    }
  })();
  await expect(ended).rejects.toMatchObject({ code: "session/not-found" });
});
