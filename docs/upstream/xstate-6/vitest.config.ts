import { join } from "node:path";
import { defineConfig } from "vitest/config";

const here = import.meta.dirname;
const six = process.env["XSTATE_6"];
if (!six) throw new Error("Run `npm run spike:xstate-6`, which installs XState 6.");
const five = join(here, "../../../node_modules/xstate/dist/xstate.esm.js");
const conditions = ["agentchart-source", "module", "node", "development|production"];

/** Files of the repository, and what stands in for them here. */
const INSTEAD = new Map([
  ["xstate-5.ts", "xstate-6.ts"],
  ["accelerator.ts", "xstate-6.ts"],
  ["chart-json.ts", "chart-json.ts"],
  ["from-service.ts", "from-service.ts"],
]);

export default defineConfig({
  root: join(here, "../../.."),
  plugins: [
    {
      name: "xstate-6",
      enforce: "pre",
      resolveId(source, importer = "") {
        if (source === "xstate-6") return six;
        if (source === "xstate-5") return five;
        if (source === "xstate") return join(here, "as-xstate-5.ts");
        const [, file = ""] = /^\..*\/([^/]+)$/.exec(source) ?? [];
        const stand = importer.startsWith(here) ? undefined : INSTEAD.get(file);
        return stand && join(here, stand);
      },
    },
  ],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["test/machines/**/*.test.ts"],
    exclude: ["**/node_modules/**"],
    testTimeout: 120_000,
    pool: "forks",
    maxWorkers: 2,
  },
});
