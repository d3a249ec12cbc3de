import { agentMachine } from "../../machines/agent/agent.machine.ts";
import { chartJson } from "../diagram/chart-json.ts";
import { chartMermaid } from "../diagram/chart-mermaid.ts";
import { chartSvg } from "../diagram/chart-svg.ts";
import { layoutChart } from "../diagram/layout-chart.ts";
import { nearestName } from "../base/nearest-name.ts";
import type { GivenFlags } from "./read-flags.ts";
import type { Output } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

const FORMATS = {
  svg: svgChart,
  mermaid: () => chartMermaid(agentMachine),
  json: () => `${JSON.stringify(chartJson(agentMachine), null, 2)}\n`,
};

/** `agentchart chart`: prints the agent's statechart. Gives the exit code. */
export async function chartCommand(
  flags: GivenFlags,
  { stdout }: { readonly stdout: Output },
): Promise<number> {
  const [word] = flags.words;
  const format = flags.text("format");
  const choice = "--format svg, --format mermaid or --format json";
  if (word !== undefined) throw new UsageError(`"${word}" is one word too many: say ${choice}.`);
  if (format === undefined) throw new UsageError(`In which format? Say ${choice}.`);
  if (!isOneOf(format, FORMATS)) {
    const near = nearestName(format, Object.keys(FORMATS));
    throw new UsageError(
      `There is no format "${format}". ${near ? `Did you mean "${near}"?` : `Say ${choice}.`}`,
    );
  }
  for (const flag of ["layout", "theme"]) {
    if (format !== "svg" && flags.has(flag)) throw new UsageError(`"--${flag}" is for --format svg.`);
  }
  stdout.write(await FORMATS[format](flags));
  return 0;
}

async function svgChart(flags: GivenFlags): Promise<string> {
  const chart = chartJson(agentMachine);
  const shape = flags.text("layout") ?? "landscape";
  const theme = flags.text("theme") ?? "light";
  if (!isOneOf(shape, { portrait: 0, landscape: 0 })) {
    throw new UsageError(`There is no layout "${shape}". Say --layout portrait or --layout landscape.`);
  }
  if (!isOneOf(theme, { light: 0, dark: 0 })) {
    throw new UsageError(`There is no theme "${theme}". Say --theme light or --theme dark.`);
  }
  return chartSvg(chart, (await layoutChart(chart))[shape], theme);
}

function isOneOf<Name extends string>(
  text: string,
  names: { readonly [name in Name]: unknown },
): text is Name {
  return Object.hasOwn(names, text);
}
