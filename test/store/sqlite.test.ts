import { join } from "node:path";
import { describe, test } from "vitest";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { storeContract } from "../../src/testing/store-contract.ts";
import { scratch } from "./scratch.ts";

storeContract(
  "SQLite",
  () => {
    const { dir, remove } = scratch();
    const path = join(dir, "new folder", "sessions.db");
    return { open: (options) => sqliteStore({ ...options, path, watchEveryMs: 5 }), dispose: remove };
  },
  { describe, test },
);
