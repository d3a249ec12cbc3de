// The buffer of events between an agent and a slow reader.
import fc from "../support/fast-check.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentEvent, AgentEventBody } from "../../src/core/event/types.ts";
import { EventBuffer } from "../../src/core/event/buffer.ts";
import { expect, test } from "vitest";
import { scripted, toolOf } from "../support/agents.ts";

type Step = { readonly kind: "start" | "delta" | "end" | "other" | "read"; readonly of: number };

const block = (of: number, index = 0) =>
  ({ messageId: `m${of}`, phase: "reasoning", index, kind: "text" }) as const;

const call = (callId: string) => ({ type: "tool_use", id: callId, name: "t", input: {} }) as const;
const result = (id: string) =>
  ({ type: "tool_result", id, name: "t", output: [], state: "success" }) as const;

/** An event of the block of message 0 or 1, or of call 2 or 3. */
function bodyOf({ kind, of }: Step, n: number): AgentEventBody {
  const callId = `c${of}`;
  if (kind === "other") return { type: "state", value: "acting" };
  if (of < 2) {
    const delta = { type: "block.delta", ...block(of), delta: `${n},` } as const;
    return kind === "delta" ? delta : { type: kind === "start" ? "block.start" : "block.end", ...block(of) };
  }
  if (kind === "delta") return { type: "tool.delta", callId, delta: `${n},` };
  return kind === "start"
    ? { type: "tool.start", call: call(callId), attempt: 1 }
    : { type: "tool.end", callId, result: result(callId), durationMs: 1 };
}

const ownerOf = (event: AgentEvent): string => {
  if ("index" in event) return event.messageId;
  if (event.type === "tool.start") return event.call.id;
  return "callId" in event ? (event.callId ?? "") : "";
};

const isDelta = (event: AgentEvent) => event.type === "block.delta" || event.type === "tool.delta";

/** What a reader makes of the events of one owner: its bounds, and the text between them. */
function told(events: readonly AgentEvent[], owner: string): string {
  const own = events.filter((event) => ownerOf(event) === owner);
  return own.map((event) => ("delta" in event ? event.delta : `<${event.type}>`)).join("");
}

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom<Step["kind"]>("delta", "delta", "delta", "delta", "start", "end", "other", "read"),
    of: fc.nat(3),
  }),
  { maxLength: 80 },
);

test("a buffer loses no text, keeps the order of starts and ends, and holds few events, however blocks and calls interleave", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const buffer = new EventBuffer();
      const given: AgentEvent[] = [];
      const read: AgentEvent[] = [];
      all.forEach((step, n) => {
        if (step.kind === "read") {
          const event = buffer.shift();
          if (event) read.push(event);
          return;
        }
        const event = { seq: 0, at: n, turn: 1, n, ...bodyOf(step, n) };
        given.push(event);
        buffer.push(event);
      });
      const bounds = all.filter(({ kind }) => kind !== "delta" && kind !== "read").length;
      expect(buffer.size).toBeLessThanOrEqual(2 * bounds + 4);
      read.push(...buffer.take());
      expect(buffer.size).toBe(0);
      for (const owner of ["m0", "m1", "c2", "c3"]) expect(told(read, owner)).toBe(told(given, owner));
      const rest = (events: readonly AgentEvent[]) => events.filter((event) => !isDelta(event));
      expect(rest(read)).toEqual(rest(given));
      const numbers = read.map(({ n }) => n);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    }),
    { numRuns: 300 },
  );
});

test("a joined delta of a cumulative stream has all of the text so far", () => {
  const buffer = new EventBuffer();
  for (const [n, soFar] of ["a", "ab"].entries()) {
    const delta = soFar.at(-1)!;
    buffer.push({ seq: 0, at: n, turn: 1, n, type: "block.delta", ...block(0), delta, soFar });
    buffer.push({ seq: 0, at: n, turn: 1, n, type: "tool.delta", callId: "c", delta });
  }
  expect(buffer.take()).toMatchObject([{ delta: "ab", soFar: "ab" }, { delta: "ab" }]);
});

test("deltas of two blocks of a message stay apart", () => {
  const buffer = new EventBuffer();
  for (const [n, index] of [0, 0, 1, 1, 0].entries())
    buffer.push({ seq: 0, at: n, turn: 1, n, type: "block.delta", ...block(0, index), delta: `${n}` });
  const read = buffer.take().map((event) => event.type === "block.delta" && [event.index, event.delta]);
  expect(read).toEqual([
    [0, "01"],
    [1, "23"],
    [0, "4"],
  ]);
});

test("a slow reader of two tools that emit in turns gets one delta of each", async () => {
  const chatty = (name: string) =>
    toolOf(name, async (_, { emit }) => {
      for (let i = 0; i < 50; i++) {
        emit(`${i},`);
        await sleep(0);
      }
      return "ok";
    });
  const calls = [
    { name: "a", input: {} },
    { name: "b", input: {} },
  ];
  const { agent } = scripted([{ calls }, "done"], {
    tools: [chatty("a"), chatty("b")],
    parallelToolCalls: true,
  });
  const deltas: string[] = [];
  for await (const event of agent.stream("go")) {
    if (event.type === "turn.start") await expect.poll(() => agent.status().phase).toBe("stopped");
    if (event.type === "tool.delta") deltas.push(event.delta);
  }
  const whole = Array.from({ length: 50 }, (_, i) => `${i},`).join("");
  expect(deltas).toEqual([whole, whole]);
});

test("a long backlog is read in order while more comes", () => {
  const buffer = new EventBuffer();
  const read: number[] = [];
  let pushed = 0;
  const push = (): void => buffer.push({ seq: 0, at: 0, turn: 1, n: pushed++, type: "state", value: "x" });
  for (let round = 0; round < 200; round++) {
    for (let i = 0; i < 20; i++) push();
    for (let i = 0; i < 15; i++) read.push(buffer.shift()!.n);
    expect(buffer.size).toBe(pushed - read.length);
  }
  read.push(...buffer.take().map(({ n }) => n));
  expect(read).toEqual(Array.from({ length: pushed }, (_, n) => n));
  expect([buffer.shift(), buffer.size]).toEqual([undefined, 0]);
});

test("each of alternating text and thinking blocks keeps its start and end, and is buffered as three events", async () => {
  const pieces = Array.from({ length: 200 }, (_, i) => ({ isText: i % 4 === 3, delta: `${i},` }));
  const parts = pieces.map(({ isText, delta }) => ({
    type: isText ? ("text.delta" as const) : ("thinking.delta" as const),
    delta,
  }));
  const { agent } = scripted([[...parts, { type: "finish", reason: "stop" }]]);
  const events: AgentEvent[] = [];
  for await (const event of agent.stream("go")) {
    if (event.type === "turn.start") await expect.poll(() => agent.status().phase).toBe("stopped");
    if (event.type.startsWith("block.")) events.push(event);
  }
  const runs = 100; // three of thinking, one of text, fifty times
  expect(events).toHaveLength(3 * runs);
  expect(events.map(({ type }) => type)).toEqual(
    Array.from({ length: runs }, () => ["block.start", "block.delta", "block.end"]).flat(),
  );
  const deltas = events.filter((event) => event.type === "block.delta");
  expect(deltas.map(({ index }) => index)).toEqual(deltas.map((_, index) => index));
  for (const kind of ["text", "thinking"] as const) {
    const whole = pieces.filter(({ isText }) => isText === (kind === "text")).map(({ delta }) => delta);
    expect(
      deltas
        .filter((each) => each.kind === kind)
        .map(({ delta }) => delta)
        .join(""),
    ).toBe(whole.join(""));
  }
});
