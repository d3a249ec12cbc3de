import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { standIn } from "./overlay.mjs";

if (!process.env["XSTATE_6"]) throw new Error("Run `npm run spike:xstate-6`, which installs XState 6.");
const conditions = ["agentchart-source", "module", "node", "development|production"];

export default defineConfig({
  root: join(import.meta.dirname, "../../.."),
  plugins: [{ name: "xstate-6", enforce: "pre", resolveId: (source, importer) => standIn(source, importer) }],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: [
      "test/machines/**/*.test.ts",
      "test/laws/explorer/*.test.ts",
      "test/laws/properties/*.test.ts",
      "test/agent/**/*.test.ts",
      "test/event/*.test.ts",
      "test/session/*.test.ts",
    ],
    exclude: [
      "**/node_modules/**",
      // these start processes, which would load XState 5, or measure
      "test/session/{idle-heap,process-end,young-garbage}.test.ts",
      "test/agent/knowledge/large-documents.test.ts",
    ],
    testTimeout: 120_000,
    hookTimeout: 1_800_000,
    expect: { poll: { timeout: 60_000 } },
    pool: "forks",
    maxWorkers: 2,
  },
});
