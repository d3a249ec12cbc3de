import { defineConfig } from "vitest/config";

// `import "agentchart"` means the sources here, not a build (see "exports" in package.json).
const conditions = ["agentchart-source", "module", "node", "development|production"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["test/**/*.test.ts", "examples/**/test/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    coverage: { provider: "v8", include: ["src/**", "machines/**"], reporter: ["text-summary"] },
    reporters: process.env["CI"] ? ["default", "./scripts/ci-reporter.mjs"] : ["default"],
  },
});
