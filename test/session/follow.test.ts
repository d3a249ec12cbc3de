import { expect, test } from "vitest";
import { type AgentEvent } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { followEvents } from "../../src/session/follow.ts";
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
