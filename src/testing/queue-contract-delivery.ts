import assert from "node:assert/strict";
import { AgentError } from "../base/error.ts";
import { settle, consumeManually, waitUntil, type QueueContractTest } from "./queue-contract-kit.ts";

const ODD_IDS = ["..", "a/b:c", "ü 😀", "\u0000", "\u0001\u0001", "x".repeat(3_000), "'; DROP TABLE job; --"];

async function rejectsWith(attempt: () => Promise<unknown>, code: string): Promise<void> {
  await assert.rejects(attempt, (error) => AgentError.is(error) && error.code === code);
}

export const deliveryTests: readonly QueueContractTest[] = [
  [
    "a wake-up is delivered once, also to another handle and to a consumer that comes later",
    async ({ queue, open }) => {
      const before = Date.now();
      await queue.wake("early");
      const desk = await consumeManually(await open(), { concurrency: 5 });
      await queue.wake("late");
      await waitUntil("both are delivered", () => desk.delivered.length === 2);
      assert.deepEqual(desk.delivered.toSorted(), ["early", "late"]);
      for (const { dueAt } of desk.wakeUps) assert.ok(dueAt >= before - 1 && dueAt <= Date.now() + 1);
      for (const id of ["early", "late"]) await desk.finish(id);
      await settle();
      assert.equal(desk.delivered.length, 2);
    },
  ],
  [
    "wake-ups that wait for the same session are one",
    async ({ queue }) => {
      for (let count = 0; count < 5; count++) await queue.wake("a");
      await queue.wake("b");
      const desk = await consumeManually(queue, { concurrency: 5 });
      await waitUntil("both are delivered", () => desk.delivered.length === 2);
      for (const id of ["a", "b"]) await desk.finish(id);
      await settle();
      assert.deepEqual(desk.delivered.toSorted(), ["a", "b"]);
    },
  ],
  [
    "while a handler runs nobody else is given its session, and what comes meanwhile is one wake-up afterwards",
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
  ],
  [
    "as many handlers run at once as the consumer wants",
    async ({ queue }) => {
      const desk = await consumeManually(queue, { concurrency: 2 });
      for (const id of ["a", "b", "c"]) await queue.wake(id);
      await waitUntil("two run", () => desk.running().length === 2);
      await settle();
      assert.equal(desk.delivered.length, 2);
      await desk.finish(desk.running()[0]!);
      await waitUntil("the third runs", () => desk.delivered.length === 3);
      for (const id of desk.running()) await desk.finish(id);
    },
  ],
  [
    "a lower number comes first, and equals in the order they came",
    async ({ queue }) => {
      for (const [id, priority] of [
        ["last", 9],
        ["third", 5],
        ["fourth", 5],
        ["first", 0],
        ["second", 0],
      ] as const)
        await queue.wake(id, { priority });
      const desk = await consumeManually(queue, { concurrency: 1 });
      for (let count = 1; count <= 5; count++) {
        await waitUntil("one more is delivered", () => desk.delivered.length === count);
        await desk.finish(desk.delivered.at(-1)!);
      }
      assert.deepEqual(desk.delivered, ["first", "second", "third", "fourth", "last"]);
    },
  ],
  [
    "a wake-up tells the priority it was asked for with, a delayed one too",
    async ({ queue }) => {
      const desk = await consumeManually(queue, { concurrency: 5 });
      await queue.wake("a");
      await queue.wake("b", { priority: 7 });
      await queue.wake("c", { priority: 9, delayMs: 50 });
      await waitUntil("all are delivered", () => desk.delivered.length === 3);
      const told = desk.wakeUps.map(({ sessionId, priority }) => `${sessionId} ${priority}`);
      assert.deepEqual(told.toSorted(), ["a 0", "b 7", "c 9"]);
      for (const id of ["a", "b", "c"]) await desk.finish(id);
    },
  ],
  [
    "a delayed wake-up comes not before its time, and holds back none that is due earlier",
    async ({ queue }) => {
      const desk = await consumeManually(queue, { concurrency: 5 });
      await queue.wake("a", { delayMs: 600_000 });
      await queue.wake("a");
      await waitUntil("the first is delivered", () => desk.delivered.length === 1);
      await desk.finish("a");
      const before = Date.now();
      await queue.wake("a", { delayMs: 300 });
      await waitUntil("the delayed one is delivered", () => desk.delivered.length === 2);
      assert.ok(Date.now() - before >= 299);
      await desk.finish("a");
    },
  ],
  [
    "a handler that rejects has had its wake-up, and its consumer is told",
    async ({ queue }) => {
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
      await waitUntil("it is told", () => errors.length === 1);
      await queue.wake("good");
      await waitUntil("the next one is delivered", () => seen.length === 2);
      await settle();
      assert.deepEqual(seen, ["bad", "good"]);
      await consumer.close();
    },
  ],
  [
    "a consumer that closes waits for its handlers, and others get what comes then",
    async ({ queue, open }) => {
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
  ],
  [
    "it counts what waits, what is handled and what is delayed",
    async ({ queue }) => {
      assert.deepEqual(await queue.stats(), { waiting: 0, active: 0, delayed: 0 });
      await queue.wake("later", { delayMs: 600_000 });
      for (const id of ["a", "b", "c"]) await queue.wake(id, { priority: id === "c" ? 1 : 0 });
      assert.deepEqual(await queue.stats(), { waiting: 3, active: 0, delayed: 1 });
      const desk = await consumeManually(queue, { concurrency: 1 });
      await waitUntil("one is handled", () => desk.delivered.length === 1);
      assert.deepEqual(await queue.stats(), { waiting: 2, active: 1, delayed: 1 });
      for (const count of [2, 3, 3]) {
        await desk.finish(desk.delivered.at(-1)!);
        await waitUntil("the next is handled", () => desk.delivered.length === count);
      }
      await waitUntil("nothing is left", async () => (await queue.stats()).active === 0);
    },
  ],
  [
    "ids of any characters are sessions of their own",
    async ({ queue }) => {
      for (const id of ODD_IDS) await queue.wake(id);
      const desk = await consumeManually(queue, { concurrency: ODD_IDS.length });
      await waitUntil("all are delivered", () => desk.delivered.length === ODD_IDS.length);
      assert.deepEqual(desk.delivered.toSorted(), ODD_IDS.toSorted());
      for (const id of ODD_IDS) await desk.finish(id);
    },
  ],
  [
    "what is no priority and no delay is refused, and so is all after the end",
    async ({ queue, open }) => {
      for (const priority of [-1, 0.5, Number.NaN, 2_097_153])
        await rejectsWith(() => queue.wake("a", { priority }), "config/invalid");
      for (const delayMs of [-1, 0.5, Infinity])
        await rejectsWith(() => queue.wake("a", { delayMs }), "config/invalid");
      const another = await open();
      await queue.close();
      await another.close();
      await rejectsWith(() => queue.wake("a"), "queue/failed");
      await rejectsWith(() => queue.stats(), "queue/failed");
      await rejectsWith(() => queue.subscribe("a", () => {}), "queue/failed");
      queue.publish("a", {});
    },
  ],
];
