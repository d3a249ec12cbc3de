import { setTimeout as sleep } from "node:timers/promises";
import { defineTool, textOf, type ChatModel } from "agentchart";
import { postgresStore } from "agentchart/store/postgres";
import { bullQueue, createWorker, type BullQueueOptions, type WorkerOptions } from "agentchart/worker";

/** The options of a worker process of the bench. */
export type WorkerOrders = {
  readonly store: { readonly connectionString: string; readonly schema: string };
  readonly queue: BullQueueOptions;
  readonly options: Partial<WorkerOptions>;
};

/** What it says: one line of JSON each. */
export type WorkerSays =
  | { readonly type: "ready" }
  /** A turn asked its model for the first time: epoch ms, and how long after its input was sent. */
  | { readonly type: "asked"; readonly at: number; readonly afterMs: number }
  | { readonly type: "ended"; readonly at: number; readonly sessionId: string }
  | {
      readonly type: "started";
      readonly at: number;
      readonly sessionId: string;
      readonly isTakeover: boolean;
    }
  | { readonly type: "holding"; readonly sessionId: string };

const say = (line: WorkerSays): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const orders = JSON.parse(process.argv[2]!) as WorkerOrders;

const SLOW_MS = 500;

/** Answers at once, to "slow" after half a second; "hold" asks for a tool that never ends, "approve" for one that needs an approval. */
const model: ChatModel = {
  name: "instant",
  async *stream({ messages }) {
    const last = messages.at(-1)!;
    if (last.role === "user") say({ type: "asked", at: Date.now(), afterMs: Date.now() - last.timestamp });
    const verb = last.role === "user" ? textOf(last) : "";
    if (verb === "slow") await sleep(SLOW_MS);
    if (verb === "hold" || verb === "approve") yield { type: "tool.delta", key: 0, name: verb, args: "{}" };
    else yield { type: "text.delta", delta: "done" };
    yield { type: "finish", reason: "stop" };
  },
};
const tools = [
  defineTool({
    name: "hold",
    description: "never ends",
    input: { type: "object" },
    idempotent: true,
    execute: (_, { sessionId }) => {
      say({ type: "holding", sessionId });
      return new Promise<string>(() => {});
    },
  }),
  defineTool({
    name: "approve",
    description: "asks",
    input: { type: "object" },
    permission: "ask",
    execute: () => "ok",
  }),
];

const store = postgresStore(orders.store);
const queue = bullQueue(orders.queue);
const worker = createWorker({
  store,
  queue,
  agents: { instant: () => ({ name: "instant", model, tools }) },
  ...orders.options,
});
worker.subscribe((event) => {
  if (event.type === "session.start") {
    const { at, sessionId, isTakeover } = event;
    say({ type: "started", at, sessionId, isTakeover });
  }
  if (event.type === "session.end") say({ type: "ended", at: event.at, sessionId: event.sessionId });
});
process.stdin.resume().once("close", () => process.exit(1)); // the process that started it has ended
async function drain(): Promise<void> {
  await worker.close({ deadlineMs: 2_000 });
  await queue.close();
  await store.close();
  process.stdin.removeAllListeners("close").destroy();
}
process.once("SIGTERM", () => void drain());
await worker.start();
say({ type: "ready" });
