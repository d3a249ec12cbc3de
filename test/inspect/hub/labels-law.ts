import { createAgent, type SessionStore } from "agentchart";
import { addLabel, labelsOf } from "agentchart/evals";
import { exportSession, importSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { expect } from "vitest";

/** Two stores of the same sessions, as two processes have them. */
export type Two = readonly [SessionStore, SessionStore];

/** Stores a session with one turn. */
export async function play(store: SessionStore, sessionId: string, answer: string): Promise<void> {
  const agent = createAgent({ name: "clerk", store, sessionId, model: scriptedModel([answer]) });
  await agent.call("What is two and two?");
  await agent.close();
}

/** Expects that labels are all kept when many people give them at once, while a process has the session and after it was pruned. */
export async function expectLabelsKept(stores: Two): Promise<void> {
  const [store] = stores;
  await play(store, "sum", "Four.");
  const held = createAgent({ name: "clerk", store, sessionId: "sum", model: scriptedModel([]) });
  await held.open();
  const people = Array.from({ length: 12 }, (_, n) => `person ${n}`);
  await Promise.all(
    people.map((by, n) =>
      addLabel(stores[n % 2]!, { sessionId: "sum", label: n % 2 ? "wrong" : "right", by }),
    ),
  );
  await held.close();
  const kept = await labelsOf(stores[1], "sum");
  expect(kept.map(({ by }) => by).toSorted()).toEqual(people.toSorted());
  expect(kept.every(({ at, seq }) => at > 0 && seq > 0)).toBe(true);
  expect(await store.prune!({ olderThan: 0 })).toMatchObject({ pruned: 1 });
  expect(await labelsOf(store)).toHaveLength(12);
  const copy = memoryStore();
  await importSession(copy, exportSession(store, "agentchart.labels"));
  expect(await labelsOf(copy)).toEqual(kept);
}
