// Sessions that meet other releases, and migrations.
import { describe, expect, test } from "vitest";
import { type JsonObject } from "agentchart";
import { openSession, type JournalEntry } from "agentchart/session";
import { agentMachine } from "agentchart/machines";
import { chartHash } from "../../src/core/diagram/chart-hash.ts";
import { chartJson } from "../../src/core/diagram/chart-json.ts";
import { migrated } from "../../src/session/format.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { finish, plannedAgent } from "../support/planned.ts";

/** A store with one finished session, changed by `edit` as another version or a fault would have left it. */
async function storeWith(
  edit: (entries: JournalEntry[], checkpoint: JsonObject) => { readonly checkpoint?: JsonObject } | void,
  config: Parameters<typeof plannedAgent>[0] = {},
) {
  const first = memoryStore();
  const agent = plannedAgent({ store: first, sessionId: "s", ...config });
  await agent.call("go");
  await agent.close();
  const entries: JournalEntry[] = [];
  for await (const entry of first.read("s")) entries.push(structuredClone(entry));
  const { checkpoint, position } = (await first.load("s"))!;
  const edited = edit(entries, structuredClone(checkpoint!)) ?? {};
  const store = memoryStore();
  const lease = (await store.acquire("s", { owner: "test", ttlMs: 1_000 }))!;
  await store.append("s", { expectedSeq: 0, fence: lease.fence, entries, position, ...edited });
  await store.release(lease);
  return store;
}

const lastPosition = (entries: JournalEntry[]): JsonObject & { state: string } =>
  entries.findLast(({ type }) => type === "position")!.data as never;

describe("a stored session meets another version", () => {
  test.each([
    [
      "a newer format",
      (entries: JournalEntry[]) => void ((entries[0] as { data: JsonObject }).data = { format: 5 }),
      "session/version",
    ],
    [
      "a newer checkpoint",
      (_: JournalEntry[], checkpoint: JsonObject) => ({ checkpoint: { ...checkpoint, format: 3 } }),
      "session/version",
    ],
    [
      "an unknown kind of entry",
      (entries: JournalEntry[]) => void ((entries[1] as { type: string }).type = "dream"),
      "session/version",
    ],
    [
      "a top-level state that is gone",
      (entries: JournalEntry[]) => void (lastPosition(entries).state = "planning.early"),
      "session/version",
    ],
    [
      "messages out of nowhere",
      (entries: JournalEntry[]) =>
        void ((entries.find(({ type }) => type === "messages")! as { data: JsonObject }).data = {
          from: 7,
          messages: [],
        }),
      "session/damaged",
    ],
    [
      "a checkpoint without its parts",
      (_: JournalEntry[], checkpoint: JsonObject) => ({ checkpoint: { ...checkpoint, kept: {} } }),
      "session/damaged",
    ],
  ] as const)("%s is quarantined: readable, listed, never half-run", async (_name, edit, code) => {
    const store = await storeWith(edit as never);
    const before = (await store.load("s"))!.seq;
    const agent = plannedAgent({ store, sessionId: "s" });
    await expect(agent.call("again")).rejects.toMatchObject({ code });
    expect(agent.status().phase).toBe("quarantined");
    await expect(agent.call()).rejects.toMatchObject({ code });
    expect((await store.load("s"))!.seq).toBe(before);
    expect((await store.list()).sessions.map(({ sessionId }) => sessionId)).toEqual(["s"]);
    const read: number[] = [];
    for await (const { seq } of (await openSession(store, "s")).entries()) read.push(seq);
    expect(read).toHaveLength(before);
  });

  test.each(["reasoning.dreaming", "acting.executing.warmingUp", "suspended.napping"])(
    "a state within a known one (%s), added or renamed there, goes on at its entry point",
    async (state) => {
      const store = await storeWith((entries) => void (lastPosition(entries).state = state));
      const agent = plannedAgent({ store, sessionId: "s" });
      await finish(agent);
      expect(agent.status()).toMatchObject({ phase: "stopped", reason: "MODEL_STOP" });
    },
  );

  test("a hook that no longer exists is reported and has no effect", async () => {
    const store = await storeWith((_, checkpoint) => ({ checkpoint }), {
      hooks: [{ name: "audit", postCall: () => {} }],
    });
    const agent = plannedAgent({ store, sessionId: "s" });
    const failed: string[] = [];
    agent.subscribe((event) => event.type === "hook.failed" && failed.push(event.hook));
    await agent.open();
    expect(failed).toEqual(["audit"]);
    expect(agent.status().phase).toBe("suspended");
  });
});

describe("migrations", () => {
  const steps = {
    0: (kept: JsonObject) => ({ ...kept, calls: [] }),
    [-1]: (kept: JsonObject) => ({ ...kept, wanted: null }),
  };

  test("migrations lead from each format to the current one, each once and in order", () => {
    expect(migrated({ inbox: {} }, -1, "It", steps)).toEqual({ inbox: {}, wanted: null, calls: [] });
    expect(migrated({ inbox: {} }, 1, "It", steps)).toEqual({ inbox: {} });
  });

  test.each([-2, 2, "1", undefined])("a format without a migration (%s) gives session/version", (format) => {
    expect(() => migrated({}, format, "It", steps)).toThrow(
      expect.objectContaining({ code: "session/version" }),
    );
  });
});

describe("the hash of the chart", () => {
  const chart = chartJson(agentMachine);
  const { nodes, edges } = chart;
  const original = chartHash(chart);

  test("is the same whatever the descriptions say", () => {
    const described = nodes.map((node) => ({ ...node, description: "other words" }));
    expect(chartHash({ ...chart, nodes: described })).toBe(original);
  });

  test.each([
    [
      "a state is added",
      { nodes: [...nodes, { ...nodes[1]!, id: "agent.suspended.napping", key: "napping" }] },
    ],
    ["a state is removed", { nodes: nodes.slice(0, -1) }],
    [
      "a state is renamed",
      { nodes: nodes.map((node, at) => (at === 2 ? { ...node, id: "agent.other" } : node)) },
    ],
    [
      "a guard changes",
      { edges: edges.map((edge, at) => (at === 0 ? { ...edge, guard: { name: "other" } } : edge)) },
    ],
  ])("is another when %s", (_name, change) => {
    expect(chartHash({ ...chart, ...change })).not.toBe(original);
  });
});
