// Compactions that are asked for by input.
import { describe, expect, test } from "vitest";
import { defineTool, textOf, type ChatModel, type SessionStore } from "agentchart";
import { openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { bench, echoModel, lastSaid, ofType } from "./kit.ts";

const textsOf = async (store: SessionStore, id: string): Promise<string[]> =>
  (await (await openSession(store, id)).at()).messages.map(
    (message) => `${message.role}: ${textOf(message)}`,
  );

describe("a conversation", () => {
  const long = "words that make a message long ".repeat(30);
  /** A model that sums up with one sentence, but only when `gate` is open. */
  const summing = (gate: Promise<unknown> = Promise.resolve(), onAsked = () => {}): ChatModel => ({
    ...echoModel,
    async *stream(request, options) {
      if (!lastSaid(request.messages).includes("Another model will go on")) {
        yield* echoModel.stream(request, options);
        return;
      }
      onAsked();
      await gate;
      const kept = /Keep the .*/.exec(lastSaid(request.messages))?.[0];
      yield { type: "text.delta", delta: `In short. ${kept}` };
      yield { type: "finish", reason: "stop" };
    },
  });
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    input: { type: "object" },
    permission: "ask",
    execute: () => "paid",
  });
  const agentsWith = (model: ChatModel, config: object = {}) => ({
    echo: () => ({ name: "echo", model, compaction: { keepRecentTokens: 1 }, ...config }),
  });
  const journalOf = async ({ store }: { readonly store: SessionStore }): Promise<string> => {
    const entries: unknown[] = [];
    for await (const entry of store.read("s")) entries.push(entry);
    return JSON.stringify(entries);
  };

  test("is summed up behind the inputs before it, once for each key", async () => {
    const b = await bench({ agents: agentsWith(summing()) });
    await b.dispatcher.dispatch("s", `first ${long}`, { agent: "echo" });
    await b.dispatcher.dispatch("s", "second");
    const options = { instructions: "Keep the colours.", idempotencyKey: "c" };
    expect(await b.dispatcher.compact("s", options)).toMatchObject({ state: "accepted" });
    expect(await b.dispatcher.compact("s", options)).toMatchObject({ state: "duplicate" });
    await b.dispatcher.dispatch("s", "third");
    await expect.poll(async () => (await textsOf(b.store, "s")).at(-1)).toBe("assistant: echo: third");
    expect(await journalOf(b)).toContain("In short. Keep the colours.");
    expect(await textsOf(b.store, "s")).toHaveLength(6);
    expect(ofType(b, "input.taken").map(({ kind }) => kind)).toEqual(["call", "call", "compact", "call"]);
  });

  test("is not summed up in the middle of a turn that rests: the input is refused", async () => {
    const agents = agentsWith(summing(), { tools: [pay] });
    const b = await bench({ agents });
    await b.dispatcher.dispatch("s", "call pay", { agent: "echo" });
    await expect
      .poll(async () => (await b.dispatcher.status("s").catch(() => undefined))?.phase)
      .toBe("suspended");
    await b.dispatcher.compact("s");
    await expect
      .poll(() => ofType(b, "input.refused").map(({ kind, error }) => [kind, error.code]))
      .toEqual([["compact", "run/pending"]]);
    await expect.poll(() => b.store.takeInputs("s", 10)).toEqual([]);
  });

  test("that is being summed up can be interrupted, and nothing has changed", async () => {
    const b = await bench({
      agents: agentsWith(summing(new Promise(() => {})), { turnOptions: { interruptGraceMs: 20 } }),
    });
    await b.dispatcher.dispatch("s", `first ${long}`, { agent: "echo" });
    await b.dispatcher.dispatch("s", "second");
    await expect.poll(async () => (await textsOf(b.store, "s")).at(-1)).toBe("assistant: echo: second");
    await b.dispatcher.compact("s");
    await expect.poll(() => b.worker.stats().running).toBe(1);
    await b.dispatcher.interrupt("s");
    await expect.poll(() => b.store.takeInputs("s", 10)).toEqual([]);
    await b.dispatcher.dispatch("s", "third");
    await expect.poll(async () => (await textsOf(b.store, "s")).at(-1)).toBe("assistant: echo: third");
    expect(await journalOf(b)).not.toContain("In short.");
  });

  test("is summed up by the next turn at the latest, if the worker that was to do it has ended", async () => {
    const store = memoryStore();
    let asked = 0;
    const held = summing(new Promise(() => {}), () => void asked++);
    const first = await bench({ store, agents: agentsWith(held, { turnOptions: { interruptGraceMs: 20 } }) });
    await first.dispatcher.dispatch("s", `first ${long}`, { agent: "echo" });
    await first.dispatcher.dispatch("s", "second");
    await first.dispatcher.compact("s");
    await expect.poll(() => asked).toBe(1);
    await first.worker.close({ deadlineMs: 1 });
    const second = await bench({ store, agents: agentsWith(summing()) });
    await second.dispatcher.dispatch("s", "third");
    await expect.poll(async () => (await textsOf(store, "s")).at(-1)).toBe("assistant: echo: third");
    expect(await journalOf(second)).toContain("In short.");
    expect(await store.takeInputs("s", 10)).toEqual([]);
  });
});
