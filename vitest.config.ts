import { defineConfig } from "vitest/config";

// `import "agentchart"` means the sources here, not a build (see "exports" in package.json).
const conditions = ["agentchart-source", "module", "node", "development|production"];

/** Minutes of SIGKILLs: not part of `npm test`, but of `.ci/run`. */
const KILL_TESTS = "test/session/kill/*.test.ts";

/** The agent suite once more, with `import "agentchart"` meaning a module whose agents are different. */
const again = (name: string) => ({
  extends: true as const,
  resolve: {
    alias: [
      { find: /^agentchart$/, replacement: `${import.meta.dirname}/test/support/agentchart-${name}.ts` },
    ],
  },
  test: { name, include: ["test/agent/*.test.ts", `test/suites/${name}.test.ts`] },
});

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "plain",
          include: ["test/**/*.test.ts", "examples/**/test/**/*.test.ts"],
          exclude: ["**/node_modules/**", "test/suites/*.test.ts", KILL_TESTS],
        },
      },
      { extends: true, test: { name: "kill", include: [KILL_TESTS] } },
      again("noop"),
      again("resume"),
      again("stored"),
    ],
    // a loaded machine is slow, not wrong
    testTimeout: 20_000,
    expect: { poll: { timeout: 10_000 } },
    pool: "forks",
    maxWorkers: 2,
    coverage: { provider: "v8", include: ["src/**", "machines/**"], reporter: ["text-summary"] },
    reporters: process.env["CI"] ? ["default", "./scripts/ci-reporter.mjs"] : ["default"],
  },
});
