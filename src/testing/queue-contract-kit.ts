import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { ContractTests } from "./contract.ts";
import type { ConsumeOptions, WakeQueue, WakeUp } from "../worker/queue/port.ts";

/** An empty transport for one test of {@link queueContract}. */
export type QueueUnderTest = {
  /** Opens a queue, as one process would. All queues of one transport share its wake-ups and signals. The contract closes
   *  them. */
  open(): WakeQueue | Promise<WakeQueue>;
  /** Removes the transport after the test. */
  dispose?(): void | Promise<void>;
};

/** The objects with which a test of the contract works. */
export type QueueContractContext = {
  /** An open queue. */
  readonly queue: WakeQueue;
  /** Opens another queue on the same transport. */
  readonly open: () => Promise<WakeQueue>;
};

/** A test of the contract. */
export type QueueContractTests = ContractTests<QueueContractContext>;

/** The time for which {@link waitUntil} waits, ms. */
const TIMEOUT_MS = 30_000;

/** Resolves when a condition holds; fails after {@link TIMEOUT_MS}. */
export async function waitUntil(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  while (!(await isTrue())) {
    assert.ok(Date.now() < deadline, `timed out waiting until ${what}`);
    await sleep(5);
  }
}

/** Waits long enough for a wrong queue to show its error. */
export const settle = (): Promise<void> => sleep(150);

/** A consumer whose handlers run until the test ends them. */
export type ManualConsumer = {
  /** The sessions of all delivered wake-ups, in order. */
  readonly delivered: string[];
  readonly wakeUps: WakeUp[];
  /** The sessions whose handlers run, sorted. */
  readonly running: () => readonly string[];
  /** Ends the handler of a session. */
  readonly finish: (sessionId: string) => Promise<void>;
  /** Closes the consumer. */
  readonly close: () => Promise<void>;
};

/** Starts a {@link ManualConsumer}. */
export async function consumeManually(
  queue: WakeQueue,
  options: ConsumeOptions = {},
): Promise<ManualConsumer> {
  const wakeUps: WakeUp[] = [];
  const running = new Map<string, () => void>();
  const consumer = queue.consume(async (wakeUp) => {
    wakeUps.push(wakeUp);
    assert.ok(!running.has(wakeUp.sessionId), "two handlers of one session run at once");
    await new Promise<void>((resolve) => running.set(wakeUp.sessionId, resolve));
    running.delete(wakeUp.sessionId);
  }, options);
  await consumer.ready();
  return {
    wakeUps,
    get delivered() {
      return wakeUps.map(({ sessionId }) => sessionId);
    },
    running: () => [...running.keys()].toSorted(),
    async finish(sessionId) {
      const count = wakeUps.length;
      running.get(sessionId)!();
      await waitUntil("the handler ends", () => !running.has(sessionId) || wakeUps.length > count);
    },
    close: () => consumer.close(),
  };
}
