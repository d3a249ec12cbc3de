import { registerContract, withOpened, type TestFramework } from "./contract.ts";
import { dueTests } from "./store-contract-due.ts";
import { inboxTests } from "./store-contract-inbox.ts";
import { journalTests } from "./store-contract-journal.ts";
import type { StoreContractTests, StoreUnderTest } from "./store-contract-kit.ts";
import { leaseTests } from "./store-contract-lease.ts";
import { lifetimeTests, survivalTests } from "./store-contract-lifetime.ts";
import { pruneTests } from "./store-contract-prune.ts";
import { searchTests } from "./store-contract-search.ts";
import { sessionTests } from "./store-contract-sessions.ts";
import { transferTests } from "./store-contract-transfer.ts";

export type { StoreUnderTest };

/** Options of {@link storeContract}. */
export type StoreContractOptions = TestFramework & {
  /** False for a store whose sessions are lost when it is closed; default true. */
  readonly outlivesClose?: boolean | undefined;
};

const GROUPS: { readonly [group: string]: StoreContractTests } = {
  leases: leaseTests,
  journal: journalTests,
  inbox: inboxTests,
  sessions: sessionTests,
  search: searchTests,
  due: dueTests,
  transfer: transferTests,
  prune: pruneTests,
  lifetime: lifetimeTests,
};

/**
 * Registers the tests that every {@link SessionStore} must pass, in a group called `name`, with the test functions of the
 * caller's framework. `make` is called once per test and must return an empty storage. The tests use no clock but the one
 * that they pass to `open`.
 *
 * @example
 * ```ts
 * import { describe, test } from "node:test";
 * import { memoryStore } from "agentchart/store/memory";
 * import { storeContract } from "agentchart/testing";
 *
 * function make() {
 *   let shared: ReturnType<typeof memoryStore> | undefined;
 *   return { open: (options: { now: () => number }) => (shared ??= memoryStore(options)) };
 * }
 * storeContract("my store", make, { describe, test, outlivesClose: false });
 * ```
 */
export function storeContract(
  name: string,
  make: () => StoreUnderTest | Promise<StoreUnderTest>,
  { outlivesClose = true, ...framework }: StoreContractOptions,
): void {
  const run = (body: StoreContractTests[string]): Promise<void> => {
    const clock = { now: 1_700_000_000_000 };
    return withOpened(
      make,
      (tested) => tested.open({ now: () => clock.now }),
      (store, open) => body({ store, open, clock }),
    );
  };
  const groups = { ...GROUPS, ...(outlivesClose && { survival: survivalTests }) };
  registerContract(name, groups, run, framework);
}
