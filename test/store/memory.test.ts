// The contract of stores, in memory.
import { describe, test } from "vitest";
import type { SessionStore } from "../../src/store/port.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { storeContract } from "../../src/testing/store-contract.ts";

storeContract(
  "memory",
  () => {
    let shared: SessionStore | undefined;
    return { open: (options) => (shared ??= memoryStore(options)) };
  },
  { describe, test, outlivesClose: false },
);
