import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentError, type ChatModel, type Hook, type SessionStore } from "agentchart";
import { longTermMemory, sqliteMemory } from "agentchart/memory";
import { bullQueue, createWorker, inProcessQueue } from "agentchart/worker";
import { openStore, type StoreSpec } from "../../support/open-store.ts";

/** What a worker process is to do. */
export type EndsOrders = {
  readonly store: StoreSpec;
  /** Default: wake-ups stay in the process, and the worker finds its sessions in the store. */
  readonly queue?: { readonly redis?: string; readonly postgres?: string; readonly name: string };
  readonly memory: string;
  /** The instant at which the process kills itself, counted in hooks, extractions and appends; absent: never. */
  readonly dieAt?: number;
};

const orders = JSON.parse(process.argv[2]!) as EndsOrders;
let instants = 0;

/** One of the instants at which the process may die. */
function instant(): void {
  if (++instants === orders.dieAt) process.kill(process.pid, "SIGKILL");
}

/** Something that takes its time, and in which the process may die. */
async function slowly(): Promise<void> {
  instant();
  await sleep(3);
  instant();
}

const slow: Hook = {
  name: "slow",
  postCall: slowly,
  onInterrupt: slowly,
  onError: slowly,
  onRest: slowly,
};

/** Says something else whenever it is asked, so that an answer that is made twice is seen. */
const model: ChatModel = {
  name: "says",
  async *stream({ messages }) {
    const last = JSON.stringify(messages.at(-1));
    if (last.includes("fail")) throw new AgentError("model/auth", `down ${randomUUID()}`);
    yield { type: "text.delta", delta: `answer ${randomUUID()}` };
    yield { type: "finish", reason: "stop" };
  },
};
const extractor: ChatModel = {
  name: "extracts",
  async *stream() {
    await slowly();
    yield { type: "text.delta", delta: `A fact: ${randomUUID()}` };
    yield { type: "finish", reason: "stop" };
  },
};

const real = await openStore(orders.store);
const store: SessionStore = new Proxy(real, {
  get(target, key) {
    const member = Reflect.get(target, key, target) as unknown;
    if (typeof member !== "function") return member;
    if (key !== "append") return member.bind(target) as unknown;
    return async (...args: Parameters<SessionStore["append"]>) => {
      instant();
      const seq = await target.append(...args);
      instant();
      return seq;
    };
  },
});
const memory = sqliteMemory({ path: orders.memory });
const remembering = longTermMemory({
  store: memory,
  scope: ({ sessionId }) => sessionId,
  mode: "static",
  record: { model: extractor },
});
const agent = (name: string, hooks: readonly Hook[]) => () => ({ name, model, hooks });
const worker = createWorker({
  store,
  queue: orders.queue ? bullQueue({ ...orders.queue, lockMs: 1_000 }) : inProcessQueue(),
  agents: { desk: agent("desk", [slow, remembering]), boss: agent("boss", []) },
  leaseMs: 1_500,
  sweepMs: 100,
  pollMs: 50,
  retryMs: 50,
  maxCrashes: 10_000,
});
await worker.start();
