// A fork that repeats recorded results and loses its process: a worker goes on with it, and no tool runs.
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import {
  createAgent,
  toolResultsOf,
  textOf,
  type AgentConfig,
  type ChatModel,
  type SessionStore,
} from "agentchart";
import { openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { postgresStore } from "agentchart/store/postgres";
import { RecordedResults, recordingOf } from "../../src/agent/recorded-results.ts";
import { toolOf } from "../support/agents.ts";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";
import { bench, ofType } from "./kit.ts";
import { mortal } from "./mortal.ts";

const server = await startPostgres();
afterAll(() => server?.stop());

/** An agent that pays the same four times, one after the other. `by` names its calls. */
function payer(by: string, ran: string[]): AgentConfig {
  const model: ChatModel = {
    name: "payer",
    async *stream({ messages }) {
      const paid = messages.flatMap(toolResultsOf).length;
      if (paid < 4)
        yield { type: "tool.delta", key: 0, id: `${by}-${paid}`, name: "pay", args: '{"cents":5}' };
      else yield { type: "text.delta", delta: "done" };
      yield { type: "finish", reason: "stop" };
    },
  };
  return {
    name: "payer",
    model,
    tools: [toolOf("pay", () => (ran.push(by), `paid ${ran.length}`))],
    permissions: { rules: [{ tool: "*", action: "allow" }] },
    meta: { agent: "payer" },
  };
}

const STORES: readonly (readonly [name: string, isThere: boolean, make: () => SessionStore])[] = [
  ["memory", true, () => memoryStore()],
  [
    server ? "Postgres" : NO_POSTGRES,
    server !== undefined,
    () => postgresStore({ connectionString: server!.connectionString, schema: "agentchart_repeats" }),
  ],
];

/** A session that has paid, and a function that forks it, and lets the process of the fork die after an append. */
async function paid(store: SessionStore, ran: string[], sessionId: string) {
  onTestFinished(() => store.close());
  const original = createAgent({ ...payer("first", ran), store, sessionId });
  await original.call("Pay four times.");
  await original.close();
  const session = await openSession(store, sessionId);
  const recording = await recordingOf(store, sessionId);
  const forkDies = async (id: string, append: number): Promise<void> => {
    await session.fork(4, { repeats: true, sessionId: id }); // the message came, and the model is asked
    const process = mortal(store, { append, when: "after" });
    const results = new RecordedResults(recording);
    const config = { ...results.configured(payer("fork", ran)), store: process.store, sessionId: id };
    const fork = createAgent({ ...config, sessionOptions: { leaseMs: 1_000 } });
    await results.begin(fork, store);
    const ended = fork.call().catch(() => {});
    await expect.poll(() => process.isDead()).toBe(true);
    onTestFinished(async () => {
      process.bury();
      await ended;
    });
  };
  return { forkDies };
}

describe.each(STORES)("in %s", (_, isThere, make) => {
  test.skipIf(!isThere)("it repeats what is left, wherever its process has died", async () => {
    const store = make();
    const ran: string[] = [];
    const { forkDies } = await paid(store, ran, "s");
    const ids = new Map([1, 2, 3, 5, 7].map((append) => [`fork-${append}`, append]));
    for (const [id, append] of ids) await forkDies(id, append);
    const { dispatcher, events } = await bench({ store, agents: { payer: () => payer("worker", ran) } });
    for (const id of ids.keys()) {
      await expect.poll(async () => (await dispatcher.status(id)).phase).toBe("stopped");
      const { messages, reason } = await (await openSession(store, id)).at();
      const results = messages
        .flatMap(toolResultsOf)
        .map(({ output }) => textOf({ content: output } as never));
      expect([reason, ...results], id).toEqual(["MODEL_STOP", "paid 1", "paid 2", "paid 3", "paid 4"]);
    }
    expect(ran).toEqual(["first", "first", "first", "first"]);
    expect(ofType({ events }, "session.putBack").filter(({ why }) => why === "pinned")).toEqual([]);
  });

  test.skipIf(!isThere)("without its original it is left, and the error says why", async () => {
    const store = make();
    const ran: string[] = [];
    const { forkDies } = await paid(store, ran, "gone");
    await forkDies("orphan", 1);
    await store.delete("gone");
    const { events } = await bench({ store, agents: { payer: () => payer("worker", ran) } });
    await expect
      .poll(() => ofType({ events }, "session.putBack").map(({ why, error }) => `${why}: ${error?.message}`))
      .toContainEqual(
        expect.stringMatching(/^pinned: Session 'orphan' repeats the recorded results of 'gone'/),
      );
    expect(ran).toHaveLength(4);
  });
});
