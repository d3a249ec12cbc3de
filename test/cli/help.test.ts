import { expect, test, vi } from "vitest";
import packageJson from "agentchart/package.json" with { type: "json" };
import { agentMachine, chartJson, chartMermaid } from "agentchart/machines";
import { CHART_FLAGS, RUN_FLAGS } from "../../src/cli/flags.ts";
import { HELP } from "../../src/cli/help.ts";
import { agentchart } from "./agentchart.ts";

// Every test starts a process, on machines that are busy with other tests.
vi.setConfig({ testTimeout: 60_000 });

test.for([
  [["--help"], HELP.program],
  [["-h"], HELP.program],
  [["run", "--help"], HELP.run],
  [["run", "q", "-h", "--json"], HELP.run],
  [["chart", "--help"], HELP.chart],
  [["--version"], `${packageJson.version}\n`],
] as const)("%j prints on stdout and exits with 0", async ([args, text]) => {
  expect(await agentchart(args)).toEqual({ code: 0, stdout: text, stderr: "" });
});

test.for([
  ["run", RUN_FLAGS],
  ["chart", CHART_FLAGS],
] as const)("the help of %s names every flag and no other", ([command, flags]) => {
  const named = new Set(HELP[command].match(/(?<=^ +(-h, )?)--[\w-]+/gm));
  expect([...named].toSorted()).toEqual(
    Object.keys(flags)
      .map((name) => `--${name}`)
      .toSorted(),
  );
});

test("agentchart chart prints the chart of the agent in both formats", async () => {
  const [mermaid, json] = await Promise.all([
    agentchart(["chart", "--format", "mermaid"]),
    agentchart(["chart", "--format", "json"]),
  ]);
  expect(mermaid).toEqual({ code: 0, stdout: chartMermaid(agentMachine), stderr: "" });
  expect(JSON.parse(json.stdout)).toEqual(JSON.parse(JSON.stringify(chartJson(agentMachine))));
  expect(json.code).toBe(0);
});
