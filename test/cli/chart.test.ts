// The command `chart`, in every format.
import { agentMachine, chartJson, chartMermaid, chartXState, sessionMachine } from "agentchart/machines";
import { expect, test } from "vitest";
import { chartSvg } from "../../src/core/diagram/chart-svg.ts";
import { layoutChart } from "../../src/core/diagram/layout-chart.ts";
import { agentchart } from "./agentchart.ts";

// Every test starts a process, on machines that are busy with other tests.

test("agentchart chart prints the chart of the agent in every format", async () => {
  const [mermaid, json, svg, xstate, session] = await Promise.all([
    agentchart(["chart", "--format", "mermaid"]),
    agentchart(["chart", "--format", "json"]),
    agentchart(["chart", "--format", "svg", "--layout", "portrait", "--theme", "dark"]),
    agentchart(["chart", "--format", "xstate"]),
    agentchart(["chart", "--format", "mermaid", "--machine", "session"]),
  ]);
  expect(xstate).toEqual({ code: 0, stdout: chartXState(agentMachine), stderr: "" });
  expect(session.stdout).toBe(chartMermaid(sessionMachine));
  expect(mermaid).toEqual({ code: 0, stdout: chartMermaid(agentMachine), stderr: "" });
  expect(JSON.parse(json.stdout)).toEqual(JSON.parse(JSON.stringify(chartJson(agentMachine))));
  expect(json.code).toBe(0);
  const chart = chartJson(agentMachine);
  const { portrait } = await layoutChart(chart);
  expect(svg).toEqual({ code: 0, stdout: chartSvg(chart, portrait, "dark"), stderr: "" });
});
