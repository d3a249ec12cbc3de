import type { WakeQueue } from "../worker/queue/port.ts";
import { registerContract, type TestFramework } from "./contract.ts";
import { deliveryTests } from "./queue-contract-delivery.ts";
import type { QueueContractTest, QueueUnderTest } from "./queue-contract-kit.ts";
import { signalTests } from "./queue-contract-signals.ts";

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
  const run = async (body: QueueContractTest[1]): Promise<void> => {
    const transport = await make();
    const opened: WakeQueue[] = [];
    const open = async () => {
      const queue = await transport.open();
      opened.push(queue);
      return queue;
    };
    try {
      await body({ queue: await open(), open });
    } finally {
      await Promise.all(opened.map((queue) => queue.close()));
      await transport.dispose?.();
    }
  };
  registerContract(name, { delivery: deliveryTests, signals: signalTests }, run, framework);
}
