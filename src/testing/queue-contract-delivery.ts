import assert from "node:assert/strict";
import { rejectsWith } from "./contract.ts";
import { settle, consumeManually, waitUntil, type QueueContractTests } from "./queue-contract-kit.ts";

const ODD_IDS = ["..", "a/b:c", "ü 😀", "\u0000", "\u0001\u0001", "x".repeat(3_000), "'; DROP TABLE job; --"];

/** Tests of wake-ups. */
export const deliveryTests: QueueContractTests = {
  "a wake-up is delivered once, also to another handle or to a later consumer": async ({ queue, open }) => {
    const before = Date.now();
    await queue.wake("early");
    const consumer = await consumeManually(await open(), { concurrency: 5 });
    await queue.wake("late");
    await waitUntil("both are delivered", () => consumer.delivered.length === 2);
    assert.deepEqual(consumer.delivered.toSorted(), ["early", "late"]);
    for (const { dueAt } of consumer.wakeUps) assert.ok(dueAt >= before - 1 && dueAt <= Date.now() + 1);
    for (const id of ["early", "late"]) await consumer.finish(id);
    await settle();
    assert.equal(consumer.delivered.length, 2);
  },
  "waiting wake-ups of one session are delivered as one": async ({ queue }) => {
    for (let count = 0; count < 5; count++) await queue.wake("a");
    await queue.wake("b");
    const consumer = await consumeManually(queue, { concurrency: 5 });
    await waitUntil("both are delivered", () => consumer.delivered.length === 2);
    for (const id of ["a", "b"]) await consumer.finish(id);
    await settle();
    assert.deepEqual(consumer.delivered.toSorted(), ["a", "b"]);
  },
  "wake-ups that come while the handler of their session runs are delivered once, after it has ended":
    async ({ queue, open }) => {
      const first = await consumeManually(queue, { concurrency: 3 });
      await queue.wake("a");
      await waitUntil("it is delivered", () => first.delivered.length === 1);
      const second = await consumeManually(await open(), { concurrency: 3 });
      for (let count = 0; count < 4; count++) await queue.wake("a");
      await settle();
      assert.deepEqual([...first.delivered, ...second.delivered], ["a"]);
      await first.finish("a");
      await waitUntil("it comes again", () => first.delivered.length + second.delivered.length === 2);
      await (second.delivered.length > 0 ? second : first).finish("a");
      await settle();
      assert.equal(first.delivered.length + second.delivered.length, 2);
    },
  "a consumer runs up to `concurrency` handlers at once": async ({ queue }) => {
    const consumer = await consumeManually(queue, { concurrency: 2 });
    for (const id of ["a", "b", "c"]) await queue.wake(id);
    await waitUntil("two run", () => consumer.running().length === 2);
    await settle();
    assert.equal(consumer.delivered.length, 2);
    await consumer.finish(consumer.running()[0]!);
    await waitUntil("the third runs", () => consumer.delivered.length === 3);
    for (const id of consumer.running()) await consumer.finish(id);
  },
  "wake-ups are delivered by priority, lowest number first, then in the order they came": async ({
    queue,
  }) => {
    for (const [id, priority] of [
      ["last", 9],
      ["third", 5],
      ["fourth", 5],
      ["first", 0],
      ["second", 0],
    ] as const)
      await queue.wake(id, { priority });
    const consumer = await consumeManually(queue, { concurrency: 1 });
    for (let count = 1; count <= 5; count++) {
      await waitUntil("one more is delivered", () => consumer.delivered.length === count);
      await consumer.finish(consumer.delivered.at(-1)!);
    }
    assert.deepEqual(consumer.delivered, ["first", "second", "third", "fourth", "last"]);
  },
  "a wake-up has the priority that its sender set, also when it was delayed": async ({ queue }) => {
    const consumer = await consumeManually(queue, { concurrency: 5 });
    await queue.wake("a");
    await queue.wake("b", { priority: 7 });
    await queue.wake("c", { priority: 9, delayMs: 50 });
    await waitUntil("all are delivered", () => consumer.delivered.length === 3);
    const delivered = consumer.wakeUps.map(({ sessionId, priority }) => `${sessionId} ${priority}`);
    assert.deepEqual(delivered.toSorted(), ["a 0", "b 7", "c 9"]);
    for (const id of ["a", "b", "c"]) await consumer.finish(id);
  },
  "a delayed wake-up is not delivered early and does not delay an earlier one of its session": async ({
    queue,
  }) => {
    const consumer = await consumeManually(queue, { concurrency: 5 });
    await queue.wake("a", { delayMs: 600_000 });
    await queue.wake("a");
    await waitUntil("the first is delivered", () => consumer.delivered.length === 1);
    await consumer.finish("a");
    const before = Date.now();
    await queue.wake("a", { delayMs: 300 });
    await waitUntil("the delayed one is delivered", () => consumer.delivered.length === 2);
    assert.ok(Date.now() - before >= 299);
    await consumer.finish("a");
  },
  "a wake-up whose handler rejects is not delivered again, and onError is called": async ({ queue }) => {
    const seen: string[] = [];
    const errors: unknown[] = [];
    const consumer = queue.consume(
      async ({ sessionId }) => {
        seen.push(sessionId);
        if (sessionId === "bad") throw new Error("no");
      },
      { onError: (error) => errors.push(error) },
    );
    await queue.wake("bad");
    await waitUntil("the error is reported", () => errors.length === 1);
    await queue.wake("good");
    await waitUntil("the next one is delivered", () => seen.length === 2);
    await settle();
    assert.deepEqual(seen, ["bad", "good"]);
    await consumer.close();
  },
  "closing a consumer waits for its handlers, and later wake-ups go to other consumers": async ({
    queue,
    open,
  }) => {
    const first = await consumeManually(queue, { concurrency: 2 });
    await queue.wake("a");
    await waitUntil("it is delivered", () => first.delivered.length === 1);
    let isClosed = false;
    const closing = first.close().then(() => (isClosed = true));
    await settle();
    assert.equal(isClosed, false);
    const second = await consumeManually(await open(), { concurrency: 2 });
    for (const id of ["a", "b"]) await queue.wake(id);
    await waitUntil("the other one is delivered", () => second.delivered.length === 1);
    await first.finish("a");
    await closing;
    await waitUntil("the same one is delivered again", () => second.delivered.length === 2);
    assert.deepEqual([first.delivered, second.delivered], [["a"], ["b", "a"]]);
    for (const id of ["a", "b"]) await second.finish(id);
  },
  "stats counts waiting, active and delayed wake-ups": async ({ queue }) => {
    assert.deepEqual(await queue.stats(), { waiting: 0, active: 0, delayed: 0 });
    await queue.wake("later", { delayMs: 600_000 });
    for (const id of ["a", "b", "c"]) await queue.wake(id, { priority: id === "c" ? 1 : 0 });
    assert.deepEqual(await queue.stats(), { waiting: 3, active: 0, delayed: 1 });
    const consumer = await consumeManually(queue, { concurrency: 1 });
    await waitUntil("one is handled", () => consumer.delivered.length === 1);
    assert.deepEqual(await queue.stats(), { waiting: 2, active: 1, delayed: 1 });
    for (const count of [2, 3, 3]) {
      await consumer.finish(consumer.delivered.at(-1)!);
      await waitUntil("the next is handled", () => consumer.delivered.length === count);
    }
    await waitUntil("nothing is left", async () => (await queue.stats()).active === 0);
  },
  "session ids of any characters are distinct": async ({ queue }) => {
    for (const id of ODD_IDS) await queue.wake(id);
    const consumer = await consumeManually(queue, { concurrency: ODD_IDS.length });
    await waitUntil("all are delivered", () => consumer.delivered.length === ODD_IDS.length);
    assert.deepEqual(consumer.delivered.toSorted(), ODD_IDS.toSorted());
    for (const id of ODD_IDS) await consumer.finish(id);
  },
  "wake refuses an invalid priority or delay, and every call after close is refused": async ({
    queue,
    open,
  }) => {
    for (const priority of [-1, 0.5, Number.NaN, 2_097_153])
      await rejectsWith(queue.wake("a", { priority }), "config/invalid");
    for (const delayMs of [-1, 0.5, Infinity])
      await rejectsWith(queue.wake("a", { delayMs }), "config/invalid");
    const another = await open();
    await queue.close();
    await another.close();
    await rejectsWith(queue.wake("a"), "queue/failed");
    await rejectsWith(queue.stats(), "queue/failed");
    await rejectsWith(
      queue.subscribe("a", () => {}),
      "queue/failed",
    );
    queue.publish("a", {});
  },
};
