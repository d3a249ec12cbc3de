import { join } from "node:path";
import { describe, test } from "vitest";
import { fileStore } from "../../src/store/file.ts";
import { storeContract } from "../../src/testing/store-contract.ts";
import { scratch } from "./scratch.ts";

storeContract(
  "files",
  () => {
    const { dir, remove } = scratch();
    return {
      open: (options) => fileStore({ ...options, dir: join(dir, "new folder"), watchEveryMs: 5 }),
      dispose: remove,
    };
  },
  { describe, test },
);
