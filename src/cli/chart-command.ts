import { agentMachine } from "../../machines/agent/agent.machine.ts";
import { chartJson } from "../diagram/chart-json.ts";
import { chartMermaid } from "../diagram/chart-mermaid.ts";
import { chartSvg } from "../diagram/chart-svg.ts";
import { layoutChart } from "../diagram/layout-chart.ts";
import type { Handler } from "./define-command.ts";
import type { chart } from "./definitions.ts";
import { UsageError } from "./usage-error.ts";

/** `agentchart chart`. */
export const chartCommand: Handler<typeof chart> = async ({ flags }, { stdout }) => {
  const { format, layout, theme } = flags;
  for (const [name, value] of Object.entries({ layout, theme })) {
    if (format !== "svg" && value !== undefined) throw new UsageError(`'--${name}' needs '--format svg'.`);
  }
  if (format === "mermaid") stdout.write(chartMermaid(agentMachine));
  if (format === "json") stdout.write(`${JSON.stringify(chartJson(agentMachine), null, 2)}\n`);
  if (format === "svg") {
    const json = chartJson(agentMachine);
    stdout.write(chartSvg(json, (await layoutChart(json))[layout ?? "landscape"], theme ?? "light"));
  }
  return 0;
};
