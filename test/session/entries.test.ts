// Journal entries of other releases.
import { describe, expect, test } from "vitest";
import { memoryStore } from "agentchart/store/memory";
import { openSession } from "agentchart/session";
import { readEntry } from "../../src/session/read-entry.ts";
import type { JournalEntry } from "../../src/store/port.ts";
import { scripted, toolOf } from "../support/agents.ts";

const entryOf = (type: string, data: object): JournalEntry => ({ seq: 7, at: 1, type, data }) as JournalEntry;

describe("a journal entry", () => {
  test.each<[string, object, string]>([
    ["messages", { from: -1, messages: [] }, "from"],
    ["messages", { from: 0, messages: ["hello"] }, "messages.0"],
    ["call", { id: 3, set: {} }, "id"],
    ["call", { id: "c1", set: { status: "flying" } }, "set.status"],
    [
      "call",
      { id: "c1", set: {}, call: { type: "tool_use", id: "c1", name: "pay", input: [] } },
      "call.input",
    ],
    ["kept", { inbox: { input: {}, steering: [], queued: [] } }, "inbox.input"],
    ["kept", { system: 1 }, "system"],
    ["groups", {}, "active"],
    ["position", { progress: { turn: "1" } }, "progress.turn"],
    ["position", { reason: "NEVER" }, "reason"],
    ["position", { steps: [{ x: ["a"] }] }, "steps.0.x.0"],
    ["turn.end", { reason: "ERROR", error: { code: "x" } }, "error.message"],
    ["input.refused", { id: "i" }, "error"],
    ["budget.extended", {}, "extended"],
  ])("of type %s with the data %j is damage that names `%s` and its position", (type, data, path) => {
    expect(() => readEntry(entryOf(type, data))).toThrow(
      expect.objectContaining({
        code: "session/damaged",
        message: expect.stringContaining(`Journal entry 7 (${type}): ${path}: `),
        data: { seq: 7 },
      }),
    );
  });

  test("of an unknown type is of another release", () => {
    expect(() => readEntry(entryOf("plan", {}))).toThrow(
      expect.objectContaining({ code: "session/version" }),
    );
  });

  test("keeps the fields that a later release has added", () => {
    const entry = entryOf("groups", { active: ["a"], since: 3 });
    expect(readEntry(entry)).toBe(entry);
  });
});

test("A fork and a saved copy of a suspended session have the same facts, but the fork leaves the system prompt to its agent", async () => {
  const store = memoryStore();
  const tools = [toolOf("pay", () => "paid", { permission: "ask" })];
  const { agent } = scripted([{ calls: [{ id: "c1", name: "pay" }] }], {
    store,
    sessionId: "s",
    tools,
    sysPrompt: "Pay.",
  });
  await agent.call("Pay");
  await agent.saveTo(store, "copy");
  await agent.close();
  const { seq } = await (await openSession(store, "s")).at();
  await (await openSession(store, "s")).fork(seq, { sessionId: "fork" });
  type Stored = { readonly type: string; readonly data: object };
  const factsOf = async (id: string): Promise<readonly Stored[]> => {
    const facts: Stored[] = [];
    for await (const { type, data } of store.read(id)) if (type !== "position") facts.push({ type, data });
    return facts;
  };
  expect((await factsOf("fork")).map(({ type }) => type)).toEqual([
    "session",
    "messages",
    "calls.closed",
    "call",
    "kept",
    "groups",
  ]);
  const withSystem = ({ type, data }: Stored): Stored =>
    type === "kept" ? { type, data: { ...data, system: "Pay." } } : { type, data };
  expect(await factsOf("copy")).toEqual((await factsOf("fork")).map(withSystem));
  expect((await factsOf("fork")).map(({ data }) => data)).not.toContainEqual(
    expect.objectContaining({ system: expect.anything() as unknown }),
  );
});
