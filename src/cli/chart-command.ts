import { agentMachine } from "../../machines/agent/agent.machine.ts";
import { sessionMachine } from "../../machines/session/session.machine.ts";
import { chartJson } from "../core/diagram/chart-json.ts";
import { chartMermaid } from "../core/diagram/chart-mermaid.ts";
import { chartSvg } from "../core/diagram/chart-svg.ts";
import { chartXState } from "../core/diagram/chart-xstate.ts";
import { layoutChart } from "../core/diagram/layout-chart.ts";
import type { Handler } from "./define-command.ts";
import type { chart } from "./definitions.ts";
import { UsageError } from "./usage-error.ts";

/** `agentchart chart`. */
export const chartCommand: Handler<typeof chart> = async ({ flags }, { stdout }) => {
  const { format, layout, theme } = flags;
  const machine = (flags.machine === "session" ? sessionMachine : agentMachine) as Parameters<
    typeof chartJson
  >[0];
  for (const [name, value] of Object.entries({ layout, theme })) {
    if (format !== "svg" && value !== undefined) throw new UsageError(`'--${name}' needs '--format svg'.`);
  }
  if (format === "mermaid") stdout.write(chartMermaid(machine));
  if (format === "json") stdout.write(`${JSON.stringify(chartJson(machine), null, 2)}\n`);
  if (format === "xstate") stdout.write(chartXState(machine));
  if (format === "svg") {
    const json = chartJson(machine);
    stdout.write(chartSvg(json, (await layoutChart(json))[layout ?? "landscape"], theme ?? "light"));
  }
  return 0;
};
