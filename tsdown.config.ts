import { defineConfig } from "tsdown";
import { recordBundled } from "./scripts/record-bundled.mjs";

const packageName = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//;

// One build for all entries, so that they share their modules: an error class is the same class everywhere.
export default defineConfig({
  entry: {
    index: "src/index.ts",
    "openai/index": "src/model/openai/index.ts",
    "testing/index": "src/testing/index.ts",
    "machines/index": "machines/index.ts",
    "store/memory": "src/store/memory.ts",
    "store/file": "src/store/file.ts",
    "store/sqlite": "src/store/sqlite.ts",
    "store/postgres": "src/store/postgres.ts",
    "session/index": "src/session/index.ts",
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
  deps: {
    // Loaded by the package's own name, so that a bundle of `agentchart` alone holds no inspector.
    neverBundle: ["agentchart/inspect"],
    // What is imported from `devDependencies` is bundled, with its notice.
    onlyBundle: false,
    onlyImport: ["agentchart", "xstate", "zod", "openai", "@cfworker/json-schema", "pg", "bullmq", "ioredis"],
  },
  plugins: [recordBundled("package")],
  outputOptions: {
    codeSplitting: {
      // Each bundled package is a file of its own, loaded only by what needs it.
      groups: [
        {
          test: /node_modules\/.*\.[cm]?js$/,
          name: (id) => `vendor/${packageName.exec(id)![1]!.replace("@", "").replace("/", "-")}`,
        },
      ],
    },
  },
});
