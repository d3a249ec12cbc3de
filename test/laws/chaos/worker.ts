import { setTimeout as sleep } from "node:timers/promises";
import { defineTool, type SessionStore } from "agentchart";
import type { Batch } from "agentchart/session";
import { before, never } from "agentchart/rules";
import { createWorker, type WorkerOptions } from "agentchart/worker";
import { openStore, type StoreSpec } from "../../support/open-store.ts";
import { faultyQueue, type QueueSpec } from "./faults.ts";
import { writeLine } from "./ledger.ts";
import { scriptModel, valueOf } from "./script.ts";

/** The options of a worker process. */
export type Orders = {
  readonly store: StoreSpec;
  readonly queue: QueueSpec;
  readonly ledger: string;
  readonly options: Partial<WorkerOptions>;
};

const orders = JSON.parse(process.argv[2]!) as Orders;
const { pid } = process;
const real = await openStore(orders.store);
/** The fences this process was given. */
const fences = new Map<string, number>();

function noteAppend(sessionId: string, { fence, entries }: Batch, seq: number): void {
  for (const { type, data } of entries) {
    const set = type === "call" ? ((data["set"] ?? {}) as { readonly result?: unknown }) : {};
    if (set.result !== undefined)
      writeLine(orders.ledger, { what: "recorded", sessionId, fence, pid, callId: data["id"] as string });
  }
  writeLine(orders.ledger, { what: "append", sessionId, fence, pid, seq });
}

const store: SessionStore = new Proxy(real, {
  get(target, key) {
    const member = Reflect.get(target, key, target) as (...args: unknown[]) => Promise<unknown>;
    if (key === "acquire")
      return async (...args: Parameters<SessionStore["acquire"]>) => {
        const lease = await target.acquire(...args);
        if (lease) fences.set(lease.sessionId, lease.fence);
        return lease;
      };
    if (key === "append")
      return async (sessionId: string, batch: Batch) => {
        const seq = await target.append(sessionId, batch);
        noteAppend(sessionId, batch, seq);
        return seq;
      };
    return typeof member === "function" ? member.bind(target) : member;
  },
});

const tool = (name: string, ms: number, fields: object = {}) =>
  defineTool({
    name,
    description: name,
    input: { type: "object" },
    ...fields,
    execute: async (_, { sessionId, callId, signal }) => {
      const line = { sessionId, callId, pid, fence: fences.get(sessionId)! };
      writeLine(orders.ledger, { what: "start", ...line });
      await sleep(ms, undefined, { signal });
      writeLine(orders.ledger, { what: "effect", ...line });
      return valueOf(callId);
    },
  });
const tools = [
  tool("look", 5),
  tool("slow", 250),
  tool("pay", 20, { permission: "ask" }),
  tool("safe", 100, { idempotent: true }),
  tool("leak", 5),
];
const rules = [before("look", "pay", { answers: true }), never("leak").after("look")];
const clerk = { name: "clerk", model: scriptModel, tools, rules, parallelToolCalls: true };

const queue = faultyQueue(orders.queue);
const worker = createWorker({
  store,
  queue,
  agents: { clerk: () => clerk },
  ...orders.options,
});
process.stdin.resume().once("close", () => process.exit(1)); // the process that started it has ended
async function drain(): Promise<void> {
  await worker.close({ deadlineMs: 8_000 });
  await queue.close();
  await store.close();
  process.stdin.removeAllListeners("close").destroy();
}
process.once("SIGTERM", () => void drain());
for (;;) {
  try {
    await worker.start();
    break;
  } catch {
    await sleep(100); // the database is being restarted
  }
}
process.stdout.write("ready\n");
