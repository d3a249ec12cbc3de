// Workers and dispatchers over several databases, also while a range of sessions moves.
import { expect, test } from "vitest";
import { memoryStore } from "agentchart/store/memory";
import { movePartitions, partitionedStore, partitionHash } from "agentchart/store/partitioned";
import { openSession } from "agentchart/session";
import { bench } from "./kit.ts";

const ids = Array.from({ length: 24 }, (_, n) => `session-${n}`);

test("turns run in the partition of their session, and go on in the one to which it moves", async () => {
  const [former, other, added] = [memoryStore(), memoryStore(), memoryStore()];
  const low = { store: other, upTo: 0x7f_ff_ff_ff };
  const moving = [low, { store: added, upTo: 0xff_ff_ff_ff, movesFrom: former }];
  const before = partitionedStore([low, { store: former, upTo: 0xff_ff_ff_ff }]);
  const first = await bench({ store: before, leaseMs: 1_000 });
  const stopped = async (store: typeof before, turns: number): Promise<boolean> => {
    for (const id of ids) {
      const found = await store.load(id);
      if (found?.position["phase"] !== "stopped") return false;
      const { total } = await (await openSession(store, id)).messages();
      if (total < 2 * turns) return false;
    }
    return (await store.listDue({ before: Date.now() })).sessionIds.length === 0;
  };
  for (const id of ids) await first.dispatcher.dispatch(id, "one", { agent: "echo" });
  await expect.poll(() => stopped(before, 1)).toBe(true);
  await first.worker.close({ deadlineMs: 1_000 });

  const store = partitionedStore(moving);
  const second = await bench({ store });
  const sent = Promise.all(ids.map((id) => second.dispatcher.dispatch(id, "two")));
  await movePartitions(moving, { settleMs: 0 });
  await sent;
  await expect.poll(() => stopped(store, 2)).toBe(true);
  for (const id of ids) {
    const { messages } = await (await openSession(store, id)).messages();
    const said = messages.filter(({ role }) => role !== "system").map(({ role }) => role);
    expect([id, ...said]).toEqual([id, "user", "assistant", "user", "assistant"]);
    const place = partitionHash(id) <= 0x7f_ff_ff_ff ? other : added;
    expect((await place.load(id))?.position["phase"]).toBe("stopped");
  }
});
