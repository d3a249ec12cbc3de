import { expect, test, vi } from "vitest";
import packageJson from "agentchart/package.json" with { type: "json" };
import { agentMachine, chartJson, chartMermaid } from "agentchart/machines";
import {
  CHART_FLAGS,
  EXPORT_FLAGS,
  FORK_FLAGS,
  IMPORT_FLAGS,
  INSPECT_FLAGS,
  LIST_FLAGS,
  REMOVE_FLAGS,
  RESUME_FLAGS,
  RUN_FLAGS,
  SESSIONS_FLAGS,
  SHOW_FLAGS,
} from "../../src/cli/flags.ts";
import { HELP } from "../../src/cli/help.ts";
import {
  DEAD_FLAGS,
  DEAD_LIST_FLAGS,
  DEAD_RETRY_FLAGS,
  SERVE_FLAGS,
  WORKER_FLAGS,
} from "../../src/cli/workers/worker-flags.ts";
import { chartSvg } from "../../src/diagram/chart-svg.ts";
import { layoutChart } from "../../src/diagram/layout-chart.ts";
import { agentchart } from "./agentchart.ts";

// Every test starts a process, on machines that are busy with other tests.
vi.setConfig({ testTimeout: 60_000 });

test.for([
  [["--help"], HELP.program],
  [["-h"], HELP.program],
  [["run", "--help"], HELP.run],
  [["run", "q", "-h", "--json"], HELP.run],
  [["inspect", "--help"], HELP.inspect],
  [["chart", "--help"], HELP.chart],
  [["sessions", "--help"], HELP.sessions],
  [["sessions", "ls", "--help"], HELP["sessions ls"]],
  [["sessions", "show", "-h"], HELP["sessions show"]],
  [["sessions", "resume", "--help"], HELP["sessions resume"]],
  [["sessions", "fork", "--help"], HELP["sessions fork"]],
  [["sessions", "export", "--help"], HELP["sessions export"]],
  [["sessions", "import", "--help"], HELP["sessions import"]],
  [["sessions", "rm", "--help"], HELP["sessions rm"]],
  [["worker", "--help"], HELP.worker],
  [["serve", "--help"], HELP.serve],
  [["dead", "-h"], HELP.dead],
  [["dead", "ls", "--help"], HELP["dead ls"]],
  [["dead", "retry", "--help"], HELP["dead retry"]],
  [["--version"], `${packageJson.version}\n`],
] as const)("%j prints on stdout and exits with 0", async ([args, text]) => {
  expect(await agentchart(args)).toEqual({ code: 0, stdout: text, stderr: "" });
});

test.for([
  ["run", RUN_FLAGS],
  ["inspect", INSPECT_FLAGS],
  ["chart", CHART_FLAGS],
  ["sessions", SESSIONS_FLAGS],
  ["sessions ls", LIST_FLAGS],
  ["sessions show", SHOW_FLAGS],
  ["sessions resume", RESUME_FLAGS],
  ["sessions fork", FORK_FLAGS],
  ["sessions export", EXPORT_FLAGS],
  ["sessions import", IMPORT_FLAGS],
  ["sessions rm", REMOVE_FLAGS],
  ["worker", WORKER_FLAGS],
  ["serve", SERVE_FLAGS],
  ["dead", DEAD_FLAGS],
  ["dead ls", DEAD_LIST_FLAGS],
  ["dead retry", DEAD_RETRY_FLAGS],
] as const)("the help of %s names every flag and no other", ([command, flags]) => {
  const named = new Set(HELP[command].match(/(?<=^ +(-h, )?)--[\w-]+/gm));
  expect([...named].toSorted()).toEqual(
    Object.keys(flags)
      .map((name) => `--${name}`)
      .toSorted(),
  );
});

test("agentchart chart prints the chart of the agent in every format", async () => {
  const [mermaid, json, svg] = await Promise.all([
    agentchart(["chart", "--format", "mermaid"]),
    agentchart(["chart", "--format", "json"]),
    agentchart(["chart", "--format", "svg", "--layout", "portrait", "--theme", "dark"]),
  ]);
  expect(mermaid).toEqual({ code: 0, stdout: chartMermaid(agentMachine), stderr: "" });
  expect(JSON.parse(json.stdout)).toEqual(JSON.parse(JSON.stringify(chartJson(agentMachine))));
  expect(json.code).toBe(0);
  const chart = chartJson(agentMachine);
  const { portrait } = await layoutChart(chart);
  expect(svg).toEqual({ code: 0, stdout: chartSvg(chart, portrait, "dark"), stderr: "" });
});
