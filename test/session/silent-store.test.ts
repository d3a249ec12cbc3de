// Stores that do not answer.
import { describe, expect, test } from "vitest";
import { AgentError, createAgent, textOf, type Agent, type ChatModel, type SessionStore } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { toolOf } from "../support/agents.ts";

const OPERATIONS = [
  "acquire",
  "load",
  "read",
  "append",
  "renew",
  "release",
  "putInput",
  "takeInputs",
] as const;
type Operation = (typeof OPERATIONS)[number];

const never = (): Promise<never> => new Promise<never>(() => {});

/** A store of which one operation, or every one, does not answer while `isSilent`. */
function silentStore(silent: Operation | "all") {
  const inner = memoryStore();
  const state = { isSilent: false };
  const store: SessionStore = { ...inner, timeoutMs: 40 };
  for (const operation of OPERATIONS) {
    if (silent !== "all" && silent !== operation) continue;
    const answer = inner[operation] as (...args: readonly unknown[]) => unknown;
    const silence =
      operation === "read" ? () => ({ [Symbol.asyncIterator]: () => ({ next: never }) }) : never;
    Object.assign(store, {
      [operation]: (...args: readonly unknown[]) => (state.isSilent ? silence() : answer(...args)),
    });
  }
  return { store, inner, state };
}

/** Asks for one payment for each message of the user, then says that it is done. */
const model: ChatModel = {
  name: "payer",
  async *stream({ messages }) {
    const asked = messages.findLastIndex(({ role }) => role === "user");
    if (messages.slice(asked).some(({ role }) => role === "tool"))
      yield { type: "text.delta", delta: "Done." };
    else yield { type: "tool.delta", key: 0, id: `c${asked}`, name: "pay", args: "{}" };
    yield { type: "finish", reason: "stop" };
  },
};
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "answered",
    (error: unknown) => (AgentError.is(error) ? error.code : String(error)),
  );
const INTERRUPTED = "I noticed that you have interrupted me. What can I do for you?";
const ENDS = ["answered", "store/failed", "run/timeout", "session/lease-lost", "run/closed", "run/shutdown"];

/** A session whose processes pay into one account. */
function bench(store: SessionStore, onPay: () => void = () => {}) {
  const paid: string[] = [];
  const open = (from = store): Agent =>
    createAgent({
      name: "a",
      model,
      store: from,
      sessionId: "s",
      sessionOptions: { leaseMs: 90 },
      turnOptions: { interruptGraceMs: 20 },
      tools: [toolOf("pay", (_, { callId }) => (paid.push(callId), onPay(), "paid"))],
    });
  return { paid, open };
}

describe.each([...OPERATIONS, "all" as const])("a store whose operation %s does not answer", (silent) => {
  test.each<[string, boolean]>([
    ["from the start", true],
    ["from the middle of a tool on", false],
  ])("%s: each method ends, and nothing is lost or doubled", async (_, fromStart) => {
    const { store, inner, state } = silentStore(silent);
    state.isSilent = fromStart;
    const { paid, open } = bench(store, () => (state.isSilent = true));
    const agent = open();
    const call = agent.call("Pay.", { timeoutMs: 200, idempotencyKey: "k" });
    expect(agent.status().phase).not.toBe("stopped");
    expect(ENDS).toContain(await codeOf(call));
    expect(ENDS).toContain(await codeOf(agent.call("More.", { timeoutMs: 50 })));
    expect(ENDS).toContain(await codeOf(agent.shutdown({ deadlineMs: 50 })));

    state.isSilent = false;
    const next = open(inner);
    await expect.poll(() => codeOf(next.open())).toBe("answered");
    for (let rounds = 0; next.status().phase !== "stopped" && rounds < 3; rounds++) {
      for (const { callId } of next.status().pending) await next.decide(callId, { answer: "paid" });
      await next.call();
    }
    const texts = (await next.messages()).map(textOf);
    expect(texts.filter((text) => text === "Pay.").length).toBeLessThanOrEqual(1);
    expect(paid).toEqual([...new Set(paid)]);
    // a turn whose call met its timeout while the store still took entries is stored as interrupted
    if (texts.length > 0) expect(["Done.", INTERRUPTED]).toContain(texts.at(-1));
    await next.close();
  });
});

test("The error of a store that does not answer names the operation and the time, and can be retried", async () => {
  const { store, state } = silentStore("acquire");
  state.isSilent = true;
  await expect(bench(store).open().open()).rejects.toMatchObject({
    code: "store/failed",
    message: "The store did not answer within 40 ms: could not acquire a lease.",
    isRetryable: true,
    data: { operation: "acquire a lease", timeoutMs: 40 },
  });
});

test("A call that timed out while its session was opened does not begin later", async () => {
  const { store, inner } = silentStore("load");
  const gate = Promise.withResolvers<void>();
  const slow: SessionStore = {
    ...store,
    timeoutMs: 5_000,
    load: async (id) => (await gate.promise, inner.load(id)),
  };
  const agent = bench(slow).open();
  await expect(agent.call("Pay.", { timeoutMs: 20 })).rejects.toMatchObject({ code: "run/timeout" });
  gate.resolve();
  await agent.open();
  expect(await agent.messages()).toEqual([]);
  expect((await agent.call("Pay.", { timeoutMs: 5_000 })).text).toBe("Done.");
  await agent.close();
});

test("A call that times out while its session is opened replies with its fallback", async () => {
  const { store, state } = silentStore("acquire");
  state.isSilent = true;
  const reply = await bench(store).open().call("Pay.", { timeoutMs: 10, fallbackReply: "Later." });
  expect([reply.text, reply.reason]).toEqual(["Later.", "INTERRUPTED"]);
});
