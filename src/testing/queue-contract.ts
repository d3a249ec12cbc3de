import { deliveryTests } from "./queue-contract-delivery.ts";
import type { QueueContractTest, QueueUnderTest } from "./queue-contract-kit.ts";
import { signalTests } from "./queue-contract-signals.ts";
import type { WakeQueue } from "../worker/queue/port.ts";

export type { QueueUnderTest };

export type QueueContractOptions = {
  /** Those of vitest, Jest, Mocha or node:test. */
  readonly describe: (name: string, body: () => void) => unknown;
  readonly test: (name: string, body: () => Promise<void>) => unknown;
};

const GROUPS: { readonly [name: string]: readonly QueueContractTest[] } = {
  delivery: deliveryTests,
  signals: signalTests,
};

async function check([, body]: QueueContractTest, make: () => QueueUnderTest | Promise<QueueUnderTest>) {
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
}

/**
 * Registers the tests that every {@link WakeQueue} must pass, under `name`, with the test functions you give:
 * `queueContract("my queue", () => ({ open: () => myQueue() }), { describe, test })`. `make` is called once per test and must give an
 * empty transport. The tests use no framework of their own.
 */
export function queueContract(
  name: string,
  make: () => QueueUnderTest | Promise<QueueUnderTest>,
  { describe, test }: QueueContractOptions,
): void {
  describe(name, () => {
    for (const [group, facts] of Object.entries(GROUPS)) {
      describe(group, () => {
        for (const fact of facts) test(fact[0], () => check(fact, make));
      });
    }
  });
}
