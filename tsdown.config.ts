import { defineConfig } from "tsdown";

// One build for all entries, so that they share their modules: an error class is the same class everywhere.
export default defineConfig({
  entry: {
    index: "src/index.ts",
    "openai/index": "src/model/openai/index.ts",
    "testing/index": "src/testing/index.ts",
    "machines/index": "machines/index.ts",
    "session/index": "src/session/index.ts",
    "store/memory": "src/store/memory.ts",
    "store/file": "src/store/file.ts",
    "store/sqlite": "src/store/sqlite.ts",
    "store/postgres": "src/store/postgres.ts",
    "inspect/index": "src/inspect/index.ts",
    "diagram/layout-worker": "src/diagram/layout-worker.ts",
    "worker/index": "src/worker/index.ts",
    "server/index": "src/server/index.ts",
    "cli/main": "src/cli/main.ts",
  },
  format: "esm",
  dts: true,
  platform: "node",
  tsconfig: "tsconfig.build.json",
});
