import assert from "node:assert/strict";
import { registerContract, withOpened, type TestFramework } from "./contract.ts";
import { deliveryTests } from "./queue-contract-delivery.ts";
import { type QueueContractTests, type QueueUnderTest, settle, waitUntil } from "./queue-contract-kit.ts";
import type { JsonObject } from "../core/base/json.ts";

export type { QueueUnderTest };

/** Options of {@link queueContract}. */
export type QueueContractOptions = TestFramework;

/**
 * Registers the tests that every {@link WakeQueue} must pass, in a group called `name`, with the test functions of the
 * caller's framework. `make` is called once per test and must return an empty transport.
 *
 * @example
 * ```ts
 * import { describe, test } from "node:test";
 * import { queueContract } from "agentchart/testing";
 * import { inProcessQueue } from "agentchart/worker";
 *
 * function make() {
 *   const queue = inProcessQueue();
 *   return { open: () => queue };
 * }
 * queueContract("my queue", make, { describe, test });
 * ```
 */
export function queueContract(
  name: string,
  make: () => QueueUnderTest | Promise<QueueUnderTest>,
  framework: QueueContractOptions,
): void {
  const run = (body: QueueContractTests[string]): Promise<void> =>
    withOpened(
      make,
      (tested) => tested.open(),
      (queue, open) => body({ queue, open }),
    );
  registerContract(name, { delivery: deliveryTests, signals: signalTests }, run, framework);
}

/** Tests of signals. */
const signalTests: QueueContractTests = {
  "signals reach all subscribers of their session in order, in every handle": async ({ queue, open }) => {
    const another = await open();
    const heard: { readonly [who: string]: JsonObject[] } = { here: [], there: [], other: [] };
    await queue.subscribe("a", (signal) => heard["here"]!.push(signal));
    await another.subscribe("a", (signal) => heard["there"]!.push(signal));
    await another.subscribe("b", (signal) => heard["other"]!.push(signal));
    const sent = Array.from({ length: 20 }, (_, n) => ({ n, text: "ü 😀\u0000", list: [null, 1.5, true] }));
    for (const signal of sent) queue.publish("a", signal);
    await waitUntil("all are heard", () => heard["here"]!.length === 20 && heard["there"]!.length === 20);
    assert.deepEqual([heard["here"], heard["there"], heard["other"]], [sent, sent, []]);
  },
  "unsubscribing one listener leaves the others subscribed": async ({ queue }) => {
    const heard: string[] = [];
    const stop = await queue.subscribe("a", () => heard.push("first"));
    await queue.subscribe("a", () => heard.push("second"));
    queue.publish("a", {});
    await waitUntil("both heard", () => heard.length === 2);
    stop();
    stop();
    queue.publish("a", {});
    await waitUntil("the other heard", () => heard.length === 3);
    await settle();
    assert.deepEqual(heard, ["first", "second", "second"]);
  },
  "a listener that throws does not affect others, and a signal without subscribers is dropped": async ({
    queue,
  }) => {
    let heard = 0;
    await queue.subscribe("a", () => {
      throw new Error("mine");
    });
    await queue.subscribe("a", () => heard++);
    queue.publish("unsubscribed", {});
    queue.publish("a", {});
    queue.publish("a", {});
    await waitUntil("it is heard", () => heard === 2);
  },
};
