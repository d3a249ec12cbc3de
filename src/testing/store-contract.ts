import { dueTests } from "./store-contract-due.ts";
import { inboxTests } from "./store-contract-inbox.ts";
import { journalTests } from "./store-contract-journal.ts";
import type { StoreContractTest, StoreUnderTest } from "./store-contract-kit.ts";
import { leaseTests } from "./store-contract-lease.ts";
import { lifetimeTests, survivalTests } from "./store-contract-lifetime.ts";
import { sessionTests } from "./store-contract-sessions.ts";
import { transferTests } from "./store-contract-transfer.ts";
import type { SessionStore } from "../store/port.ts";

export type { StoreUnderTest };

export type StoreContractOptions = {
  /** Those of vitest, Jest, Mocha or node:test. */
  readonly describe: (name: string, body: () => void) => unknown;
  readonly test: (name: string, body: () => Promise<void>) => unknown;
  /** False for a store whose sessions end with it; default true. */
  readonly outlivesClose?: boolean;
};

const GROUPS: { readonly [name: string]: readonly StoreContractTest[] } = {
  leases: leaseTests,
  journal: journalTests,
  inbox: inboxTests,
  sessions: sessionTests,
  due: dueTests,
  transfer: transferTests,
  lifetime: lifetimeTests,
};

async function check([, body]: StoreContractTest, make: () => StoreUnderTest | Promise<StoreUnderTest>) {
  const storage = await make();
  const clock = { now: 1_700_000_000_000 };
  const opened: SessionStore[] = [];
  const open = async () => {
    const store = await storage.open({ now: () => clock.now });
    opened.push(store);
    return store;
  };
  try {
    await body({ store: await open(), open, clock });
  } finally {
    await Promise.all(opened.map((store) => store.close()));
    await storage.dispose?.();
  }
}

/**
 * Registers the tests that every {@link SessionStore} must pass, under `name`, with the test functions you give:
 * `storeContract("my store", () => ({ open: (options) => myStore(options) }), { describe, test })`. `make` is called once per test and must
 * give an empty storage. The tests use no framework of their own and no time but the one they hand to `open`.
 */
export function storeContract(
  name: string,
  make: () => StoreUnderTest | Promise<StoreUnderTest>,
  { describe, test, outlivesClose = true }: StoreContractOptions,
): void {
  const groups = { ...GROUPS, ...(outlivesClose && { survival: survivalTests }) };
  describe(name, () => {
    for (const [group, facts] of Object.entries(groups)) {
      describe(group, () => {
        for (const fact of facts) test(fact[0], () => check(fact, make));
      });
    }
  });
}
