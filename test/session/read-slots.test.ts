// Slots are read without the transcript.
import { expect, test } from "vitest";
import { createAgent, defineSlot, type SessionStore } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { readSlots } from "../../src/session/newest-state.ts";
import { openSession } from "agentchart/session";

const notes = defineSlot<string>({ name: "notes", initial: "" });

/** Returns the slots of a session after so many turns, and how many of its entries were read for them. */
async function readAfter(turns: number, isCut = false) {
  const store = memoryStore();
  const model = scriptedModel(Array.from({ length: turns }, () => "Hello."));
  const agent = createAgent({
    name: "desk",
    model,
    sessionOptions: { slots: [notes] },
    store,
    sessionId: "s",
  });
  for (let turn = 1; turn <= turns; turn++) {
    await agent.call("Hi");
    if (turn % 2 === 1) await agent.slots.set(notes, `turn ${turn}`);
  }
  await agent.shutdown();
  let read = 0;
  const counting: Pick<SessionStore, "load" | "read"> = {
    load: async (id) => {
      const found = await store.load(id);
      return isCut && found ? { seq: found.seq, position: found.position } : found;
    },
    async *read(...args) {
      for await (const entry of store.read(...args)) {
        read++;
        yield entry;
      }
    },
  };
  const slots = await readSlots({ ...store, ...counting }, "s");
  const { context } = await (await openSession(store, "s")).at();
  const { value, revision } = (context["slots"] as Record<string, { value: string; revision: number }>)[
    "notes"
  ]!;
  expect(slots).toEqual({ notes: { value, revision } });
  return { slots, read };
}

test("the slots of a session are read from its checkpoint, at the same cost at any length", async () => {
  const [short, long] = [await readAfter(3), await readAfter(60)];
  expect(short.slots).toEqual({ notes: { value: "turn 3", revision: 2 } });
  expect(long.slots).toEqual({ notes: { value: "turn 59", revision: 30 } });
  expect(long.read).toBeLessThanOrEqual(short.read);
});

test("the slots of a session without a checkpoint are read from all of its entries", async () => {
  const { slots, read } = await readAfter(5, true);
  expect(slots).toEqual({ notes: { value: "turn 5", revision: 3 } });
  expect(read).toBeGreaterThan(10);
});

test("a session that does not exist has no slots", async () => {
  expect(await readSlots(memoryStore(), "none")).toEqual({});
});
