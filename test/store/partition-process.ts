import { finishMove, movePartitions, partitionedStore } from "../../src/store/partitioned.ts";
import { openStore, type StoreSpec } from "../support/open-store.ts";
import { partitionsOf } from "./ledger.ts";

// A process that moves sessions, or works on them, until it is killed. It tells each thing that a store has acknowledged.

const [role, formerSpec, nextSpec, killAt = "0", ...ids] = process.argv.slice(2) as [string, ...string[]];
const former = await openStore(JSON.parse(formerSpec!) as StoreSpec);
const next = await openStore(JSON.parse(nextSpec!) as StoreSpec);
let count = 0;

/** Ends the process at its operation number `killAt`. */
const mortal = (store: typeof former): typeof former =>
  new Proxy(store, {
    get: (target, name: keyof typeof former) => {
      const method: unknown = target[name];
      if (typeof method !== "function") return method;
      return (...args: unknown[]): unknown => {
        if (++count === Number(killAt)) process.kill(process.pid, "SIGKILL");
        return (method as (...given: unknown[]) => unknown).apply(target, args);
      };
    },
  });

const partitions = partitionsOf(mortal(former), mortal(next));
const QUICK = { settleMs: 0, pollMs: 5, concurrency: 4 };

/** Puts inputs and takes them, as dispatchers and workers do. */
async function work(): Promise<never> {
  const store = partitionedStore(partitions);
  for (let n = 0; ; n++) {
    const sessionId = ids[n % ids.length]!;
    const id = `${process.pid} ${n}`;
    await store.putInput(sessionId, { id, data: {} });
    process.send!({ put: id, sessionId });
    const lease = await store.acquire(sessionId, { owner: `worker ${process.pid}`, ttlMs: 200 });
    if (!lease) continue;
    try {
      const [input] = await store.takeInputs(sessionId, 1);
      const { seq = 0 } = (await store.load(sessionId)) ?? {};
      if (!input) continue;
      await store.append(sessionId, {
        expectedSeq: seq,
        fence: lease.fence,
        entries: [{ seq: seq + 1, at: 0, type: "took", data: { id: input.id } }],
        position: { phase: "stopped" },
        ackInputs: [input.id],
      });
      process.send!({ wrote: input.id, seq: seq + 1, sessionId });
    } catch (error) {
      if ((error as { readonly code?: string }).code !== "session/lease-lost") throw error;
    } finally {
      await store.release(lease);
    }
  }
}

process.on("disconnect", () => process.exit());
process.send!({ ready: true });
if (role === "work") await work();
if (role === "move") await movePartitions(partitions, QUICK);
if (role === "finish") await finishMove(partitions, QUICK);
process.send!({ done: true }, () => process.exit());
