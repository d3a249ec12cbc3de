// The method `stream`: every event, numbered, from the first to `turn.end`.
import { describe, expect, test } from "vitest";
import type { AgentEvent } from "agentchart";
import type { ScriptedTurn } from "agentchart/testing";
import { eventsOf, scripted } from "../../support/agents.ts";
import { call, traced } from "../../support/trace.ts";

describe("stream", () => {
  test("a stream ends every start event, numbers events in order, and ends with exactly one turn.end", async () => {
    const { agent } = traced([{ thinking: "hm", text: "let me", calls: [call("c1")] }, "done"]);
    const events = await eventsOf(agent.stream("go"));
    const open = new Map<string, number>();
    for (const event of events) {
      const key = "callId" in event && event.type.startsWith("tool") ? "tool" : "block";
      if (event.type === "block.start" || event.type === "tool.start")
        open.set(key, (open.get(key) ?? 0) + 1);
      if (event.type === "block.end" || event.type === "tool.end") open.set(key, (open.get(key) ?? 0) - 1);
    }
    expect([...open.values()].reduce((sum, count) => sum + count, 0)).toBe(0);
    expect(events.map(({ n }) => n)).toEqual(events.map(({ n }) => n).toSorted((a, b) => a - b));
    expect(events.filter(({ type }) => type === "turn.end")).toHaveLength(1);
    expect(events.at(-1)?.type).toBe("turn.end");
  });

  test("a stream has deltas only, or totals if it is cumulative; a subscriber receives deltas only", async () => {
    const parts: ScriptedTurn = [
      { type: "text.delta", delta: "a" },
      { type: "text.delta", delta: "b" },
    ];
    const deltas = async (cumulative: boolean) => {
      const { agent } = scripted([parts]);
      const heard: AgentEvent[] = [];
      agent.subscribe((event) => void heard.push(event), { types: ["block.delta"] });
      const read = await eventsOf(agent.stream("go", { cumulative }));
      expect(heard.map((event) => "soFar" in event)).toEqual([false, false]);
      return read.filter((event) => event.type === "block.delta");
    };
    const incremental = await deltas(false);
    expect(incremental.map(({ delta }) => delta).join("")).toBe("ab");
    expect(incremental.some((event) => "soFar" in event)).toBe(false);
    expect((await deltas(true)).at(-1)?.soFar).toBe("ab");
  });

  test("a stream that a listener begins at turn.end has its own turn only, and all subscribers receive all events in order", async () => {
    const { agent } = scripted(["one", "two"]);
    let second: Promise<AgentEvent[]> | undefined;
    agent.subscribe(({ type }) => {
      if (type === "turn.end") second ??= eventsOf(agent.stream("more"));
    });
    const heard: AgentEvent[] = [];
    agent.subscribe((event) => void heard.push(event));
    const first = await eventsOf(agent.stream("go"));
    const turnsOf = (events: readonly AgentEvent[]) => [...new Set(events.map(({ turn }) => turn))];
    expect([first.at(-1)?.type, turnsOf(first)]).toEqual(["turn.end", [1]]);
    const more = await second!;
    expect([more[0]?.type, more.at(-1)?.type, turnsOf(more)]).toEqual(["turn.start", "turn.end", [2]]);
    expect(heard.map(({ n }) => n)).toEqual(heard.map((_, index) => index + 1));
  });

  test("a stream starts no turn before it is read", async () => {
    const { agent, model } = scripted(["x"]);
    const stream = agent.stream("go");
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(model.requests).toHaveLength(0);
    expect((await stream.reply).text).toBe("x");
  });

  test("a reader that leaves the loop of a stream interrupts its turn (F24)", async () => {
    const { agent } = scripted([
      async function* () {
        yield { type: "text.delta", delta: "a" };
        await new Promise(() => {});
      },
    ]);
    for await (const event of agent.stream("go")) if (event.type === "block.delta") break;
    await expect.poll(() => agent.status().phase).toBe("stopped");
    expect(agent.status().reason).toBe("INTERRUPTED");
  });

  test("a stream throws the error of its turn after turn.end", async () => {
    const { agent } = scripted([{ error: new Error("Test error") }]);
    const seen: string[] = [];
    const read = async () => {
      for await (const event of agent.stream("go")) seen.push(event.type);
    };
    await expect(read()).rejects.toThrow("Test error");
    expect(seen.at(-1)).toBe("turn.end");
  });

  test("a reader of a stream gets its error once, and then its end", async () => {
    const { agent } = scripted([{ error: new Error("Test error") }]);
    const reader = agent.stream("go")[Symbol.asyncIterator]();
    const read = async (): Promise<string> => {
      const { done, value } = await reader.next();
      return done ? "end" : value.type;
    };
    let last = "";
    while (last !== "turn.end") last = await read();
    await expect(read()).rejects.toThrow("Test error");
    expect([await read(), await read()]).toEqual(["end", "end"]);
  });

  test("a reader that leaves a stream before it has begun interrupts nothing", async () => {
    const { agent } = scripted(["first", "second"]);
    const stream = agent.stream("go");
    const others = agent.call("before");
    expect(await stream[Symbol.asyncIterator]().return?.()).toEqual({ done: true, value: undefined });
    expect((await others).text).toBe("first");
    expect((await stream.reply).text).toBe("second");
  });

  test("a slow reader of a stream receives one merged delta with the whole text, and the turn does not wait for it", async () => {
    const many: ScriptedTurn = Array.from({ length: 500 }, (_, i) => ({
      type: "text.delta" as const,
      delta: `${i},`,
    }));
    const { agent } = scripted([many]);
    let text = "";
    let deltas = 0;
    for await (const event of agent.stream("go")) {
      if (event.type === "turn.start") await expect.poll(() => agent.status().phase).toBe("stopped");
      if (event.type !== "block.delta") continue;
      deltas++;
      text += event.delta;
    }
    expect(deltas).toBe(1);
    expect(text).toBe(Array.from({ length: 500 }, (_, i) => `${i},`).join(""));
  });

  test("several readers of a stream share its events and all reach its end", async () => {
    const { agent } = scripted(["hello"]);
    const stream = agent.stream("go");
    const shares = await Promise.all([eventsOf(stream), eventsOf(stream), eventsOf(stream)]);
    const numbers = shares.flat().map(({ n }) => n);
    expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, index) => index + 1));
    expect(shares.flat().filter(({ type }) => type === "turn.end")).toHaveLength(1);
  });
});

test("a listener that hears how the turn of a stream starts may ask for its reply", async () => {
  const { agent } = scripted(["first", "second"]);
  const stream = agent.stream("go");
  const replies: Promise<unknown>[] = [];
  agent.subscribe(() => void (replies.length === 0 && replies.push(stream.reply)));
  for await (const _ of stream);
  expect(await replies[0]).toMatchObject({ text: "first" });
});
