import { globSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vitest/config";
import { LONG, LongFirst } from "./test/support/long-first.ts";

// `import "agentchart"` means the sources here, not a build (see "exports" in package.json).
const conditions = ["agentchart-source", "module", "node", "development|production"];

/** Workers, servers, demos and each query as processes that are started, killed and drained: not part of `npm test`, but of `.ci/run`. */
const PROCESS_TESTS = [
  "test/bench/*.test.ts",
  "test/laws/kill/*.test.ts",
  "test/laws/chaos/*.test.ts",
  "test/agent/knowledge/large-documents.test.ts", // measures time
  "test/project/compiled-examples.test.ts",
  "test/project/create.test.ts",
  "test/project/loading.test.ts",
  "test/project/packed.test.ts",
  "test/project/publish.test.ts",
  "test/project/walk.test.ts",
  "test/cli/acp-command.test.ts",
  "test/cli/bad-input.test.ts",
  "test/cli/chart.test.ts",
  "test/cli/client-tools.test.ts",
  "test/cli/dev.test.ts",
  "test/cli/doctor-servers.test.ts",
  "test/cli/help.test.ts",
  "test/cli/hung-store.test.ts",
  "test/cli/interruptible.test.ts",
  "test/cli/inspect.test.ts",
  "test/cli/mcp.test.ts",
  "test/cli/mcp-command.test.ts",
  "test/cli/otel.test.ts",
  "test/cli/run.test.ts",
  "test/cli/schedules.test.ts",
  "test/cli/worker.test.ts",
  "test/cli/dev/warm-up.test.ts",
  "test/cli/docs-workers.test.ts",
  "test/cli/serve-health.test.ts",
  "test/cli/sessions-fork.test.ts",
  "test/cli/sessions-signals.test.ts",
  "test/cli/sessions-store.test.ts",
  "test/cli/sessions-turns.test.ts",
  "test/cli/worker-input.test.ts",
  "test/worker/queue/lost-*.test.ts",
  "test/worker/queue/silent-*.test.ts",
  "test/store/hung-disk.test.ts",
  "test/store/silent-postgres.test.ts",
  "test/ai-sdk/other-process.test.ts",
  "test/examples/inspect-demo.test.ts",
  "test/examples/mcp.test.ts",
  "test/tool/foreign-schema.test.ts",
  "test/tool/parsed-once.test.ts",
  "test/tool/mcp/bad-servers.test.ts",
  "test/tool/mcp/every-tool.test.ts",
  "test/tool/mcp/hostile-fleet.test.ts",
  "test/tool/mcp/killed-between-rounds.test.ts",
  "test/tool/mcp/legacy-elicitation.test.ts",
  "test/tool/mcp/lost-calls.test.ts",
  "test/tool/mcp/process-group.test.ts",
  "test/tool/mcp/servers.test.ts",
  "test/store/two-processes.test.ts",
  "test/store/move-killed.test.ts",
  "test/session/idle-heap.test.ts",
  "test/inspect/hub/overview-many.test.ts",
  "test/workspace/hostile.test.ts",
  "test/workspace/killed.test.ts",
  "test/worker/schedules.test.ts",
  "test/cli/check.test.ts",
  "test/testing/evals/killed.test.ts",
  "test/testing/crash/*.test.ts",
  "test/inspect/hub/session-test.test.ts",
  "test/cli/crashtest.test.ts",
  "test/session/young-garbage.test.ts",
  "test/session/process-end.test.ts",
  "test/session/dead-holder.test.ts",
  "test/examples/approval.test.ts",
  "test/examples/guide.test.ts",
  "test/worker/bull.test.ts",
  "test/deploy/*.test.ts",
  "examples/approval-desk/test/*.test.ts",
  "examples/coder/test/coder.test.ts",
  "examples/newsroom/test/killed.test.ts",
  "examples/data-analyst/test/demo.test.ts",
  "examples/data-analyst/test/stand-in.test.ts",
];

/** Every state of the charts, random sessions, every way in which a provider may send something, and random damage to every store:
 *  `npm run test:exhaustive`. */
const EXHAUSTIVE_TESTS = [
  "test/ai-sdk/contract.test.ts",
  "test/agent/team/agent-logic-restored.test.ts",
  "test/cli/given-twice.test.ts",
  "test/cli/sessions-damaged.test.ts",
  "test/diagram/docs-chart.test.ts",
  "test/diagram/layout-chart.test.ts",
  "test/laws/hosts/*.test.ts",
  "test/laws/retrieval/quality.test.ts",
  "test/machines/chart/accelerator-laws.test.ts",
  "test/machines/agent/view.test.ts",
  "test/model/contract.test.ts",
  "test/model/wire-schema.test.ts",
  "test/model/openai/responses-calls.test.ts",
  "test/model/openai/stream-errors.test.ts",
  "test/model/openai/streamed-calls.test.ts",
  "test/server/hostile-requests.test.ts",
  "test/session/ends-at-any-append.test.ts",
  "test/session/find-breaks.test.ts",
  "test/session/fork-approvals.test.ts",
  "test/session/valid-history.test.ts",
  "test/store/partitioned.test.ts",
  "test/testing/evals/experiment.test.ts",
  "test/tool/mcp/odd-answers.test.ts",
  "test/worker/crash.test.ts",
  "test/worker/queue/contract.test.ts",
  "test/workspace/contract.test.ts",
  "visualizer/test/logic/stored-is-live.test.ts",
  "test/laws/explorer/*.test.ts",
  "test/machines/chart/planted-differences.test.ts",
  "test/testing/check/*.test.ts",
  "test/laws/properties/*.test.ts",
  "test/laws/overflow.test.ts",
  "test/model/openai/long-arguments.test.ts",
  "test/store/random-damage.test.ts",
];

/** What a user meets first, and what every change of the chart may break: of the suites that take shares, these run every day. */
const EACH_DAY = [
  "test/cli/bad-input.test.ts",
  "test/cli/help.test.ts",
  "test/diagram/docs-chart.test.ts",
  "test/examples/guide.test.ts",
  "test/laws/explorer/explorer.test.ts",
  "test/laws/kill/kill-matrix.test.ts",
  "test/model/contract.test.ts",
  "test/project/compiled-examples.test.ts",
  "test/project/packed.test.ts",
];

/** In a browser, on the built page: `npm run test:e2e`. What measures the page has the machine for itself, but for a page that is
 *  left open, which has nothing to do. */
const BROWSER_TESTS = "test/e2e/*.test.ts";
const MEASURED_TESTS = ["test/e2e/volume.test.ts", "test/e2e/left-open.test.ts"];

const inBrowser = (name: string, test: { readonly [option: string]: unknown }) => ({
  extends: true as const,
  test: {
    name,
    ...test,
  },
});

/** The agent suite: what is tested through `import "agentchart"`. */
const AGENT_TESTS = ["test/agent/**/*.test.ts", "test/event/*.test.ts"];

const DAY = Math.floor(Date.now() / 86_400_000);
const MODES = ["noop", "resume", "stored", "interpreted"];

/** With CI=1 a suite takes one of so many shares of its files, another one each day; all of them without it, and with SOAK=1. */
const SHARES = { modes: 4, processes: 4, exhaustive: 3, browser: 5 };

/** The files that other days take. */
function ofOtherDays(files: string | readonly string[], shares: number, offset = 0): string[] {
  if (!process.env["CI"] || process.env["SOAK"] === "1") return [];
  const all = globSync(files).toSorted();
  const isLong = (file: string): boolean => LONG.includes(file);
  const longFirst = [...all.filter(isLong), ...all.filter((file) => !isLong(file))];
  return longFirst.filter((_, place) => (place + DAY + offset) % shares !== 0);
}

/** The agent suite once more, with `import "agentchart"` meaning a module whose agents are different. */
const again = (name: string, globalSetup: string[] = [], plugins: Plugin[] = []) => ({
  extends: true as const,
  plugins,
  resolve: {
    alias: [
      { find: /^agentchart$/, replacement: `${import.meta.dirname}/test/support/agentchart-${name}.ts` },
    ],
  },
  test: {
    name,
    // the sources are loaded once in each worker, not for each file
    isolate: false,
    include: [...AGENT_TESTS, `test/laws/suites/${name}.test.ts`],
    exclude: ofOtherDays(AGENT_TESTS, SHARES.modes, MODES.indexOf(name)),
    globalSetup,
  },
});

const SEEN = "[HOST] !== undefined && !seen.has(agent)";

/** Lets XState interpret each agent, as if somebody observed it. */
const interpreted: Plugin = {
  name: "interpreted",
  enforce: "pre",
  transform(code, id) {
    if (!id.endsWith("/src/agent/services/actors.ts")) return undefined;
    if (!code.includes(SEEN)) throw new Error("`isUnshared` has changed: vitest.config.ts replaces it.");
    return code.replace(SEEN, "[HOST] !== undefined && !true");
  },
};

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "plain",
          // the sources are loaded once in each worker, not for each file: a test leaves its process as it found it
          isolate: false,
          unstubEnvs: true,
          include: ["test/**/*.test.ts", "examples/**/test/**/*.test.ts", "visualizer/test/**/*.test.ts"],
          exclude: [
            "**/node_modules/**",
            "test/laws/suites/*.test.ts",
            BROWSER_TESTS,
            ...EXHAUSTIVE_TESTS,
            ...PROCESS_TESTS,
          ],
        },
      },
      {
        extends: true,
        test: {
          name: "processes",
          include: PROCESS_TESTS,
          exclude: ofOtherDays(PROCESS_TESTS, SHARES.processes).filter((file) => !EACH_DAY.includes(file)),
        },
      },
      {
        extends: true,
        test: {
          name: "exhaustive",
          include: EXHAUSTIVE_TESTS,
          exclude: ofOtherDays(EXHAUSTIVE_TESTS, SHARES.exhaustive).filter(
            (file) => !EACH_DAY.includes(file),
          ),
        },
      },
      inBrowser("e2e", {
        include: [BROWSER_TESTS],
        exclude: [...MEASURED_TESTS, ...ofOtherDays(BROWSER_TESTS, SHARES.browser)],
        maxWorkers: 2,
        sequence: { groupOrder: 2 },
      }),
      inBrowser("e2e-measured", { include: MEASURED_TESTS, maxWorkers: 2, sequence: { groupOrder: 3 } }),
      again("noop"),
      again("resume"),
      again("stored", ["test/support/stored-setup.ts"]),
      again("interpreted", [], [interpreted]),
    ],
    // child processes of the tests compile the sources once, not each
    env: { NODE_COMPILE_CACHE: join(tmpdir(), "agentchart-compile-cache") },
    setupFiles: ["test/support/keep-connections.ts"],
    globalSetup: ["test/support/own-temp-folder.ts"],
    // a loaded machine is slow, not wrong: no test has a shorter limit of its own
    testTimeout: 600_000,
    hookTimeout: 300_000,
    teardownTimeout: 300_000,
    expect: { poll: { timeout: 300_000 } },
    pool: "forks",
    maxWorkers: 3,
    // a random order is one of its own
    sequence: process.argv.includes("--sequence.shuffle.files") ? {} : { sequencer: LongFirst },
    coverage: { provider: "v8", include: ["src/**", "machines/**"], reporter: ["text-summary"] },
    reporters: process.env["CI"] ? ["default", "./scripts/ci-reporter.mjs"] : ["default"],
  },
});
