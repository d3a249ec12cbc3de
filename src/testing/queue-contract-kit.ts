import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { ConsumeOptions, WakeQueue, WakeUp } from "../worker/queue/port.ts";

/** One empty transport. */
export type QueueUnderTest = {
  /** A handle on it, as one process would have; asked for several of them, they share the transport. The suite closes them. */
  open(): WakeQueue | Promise<WakeQueue>;
  /** Removes the transport. */
  dispose?(): void | Promise<void>;
};

/** What a test of the contract works with. */
export type QueueContractContext = {
  readonly queue: WakeQueue;
  /** Another handle on the same transport. */
  readonly open: () => Promise<WakeQueue>;
};

/** A fact about every queue, and the way to see it. */
export type QueueContractTest = readonly [
  title: string,
  check: (test: QueueContractContext) => Promise<void>,
];

const TIMEOUT_MS = 30_000;

export async function waitUntil(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  while (!(await isTrue())) {
    assert.ok(Date.now() < deadline, `it never happened: ${what}`);
    await sleep(5);
  }
}

/** Long enough for what must not happen to happen on a queue that is wrong. */
export const settle = (): Promise<void> => sleep(150);

/** A consumer whose handlers run until they are told to end. */
export type ManualConsumer = {
  /** Sessions in the order they were delivered. */
  readonly delivered: string[];
  readonly wakeUps: WakeUp[];
  /** Sessions whose handlers run. */
  readonly running: () => readonly string[];
  /** Lets the handler of a session end, and waits for it. */
  readonly finish: (sessionId: string) => Promise<void>;
  readonly close: () => Promise<void>;
};

export async function consumeManually(
  queue: WakeQueue,
  options: ConsumeOptions = {},
): Promise<ManualConsumer> {
  const wakeUps: WakeUp[] = [];
  const running = new Map<string, () => void>();
  const consumer = queue.consume(async (wakeUp) => {
    wakeUps.push(wakeUp);
    assert.ok(!running.has(wakeUp.sessionId), "a session is handled twice at once");
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
