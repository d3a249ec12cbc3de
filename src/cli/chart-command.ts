import { agentMachine } from "../../machines/agent.machine.ts";
import { chartJson } from "../chart/chart-json.ts";
import { chartMermaid } from "../chart/chart-mermaid.ts";
import { nearestName } from "./nearest-name.ts";
import type { GivenFlags } from "./read-flags.ts";
import type { Output } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

const FORMATS = {
  mermaid: () => chartMermaid(agentMachine),
  json: () => `${JSON.stringify(chartJson(agentMachine), null, 2)}\n`,
};

/** `agentchart chart`: prints the agent's statechart. Gives the exit code. */
export function chartCommand(flags: GivenFlags, { stdout }: { readonly stdout: Output }): number {
  const [word] = flags.words;
  const format = flags.text("format");
  const choice = "--format mermaid or --format json";
  if (word !== undefined) throw new UsageError(`"${word}" is one word too many: say ${choice}.`);
  if (format === undefined) throw new UsageError(`In which format? Say ${choice}.`);
  if (!Object.hasOwn(FORMATS, format)) {
    const near = nearestName(format, Object.keys(FORMATS));
    throw new UsageError(
      `There is no format "${format}". ${near ? `Did you mean "${near}"?` : `Say ${choice}.`}`,
    );
  }
  stdout.write(FORMATS[format as keyof typeof FORMATS]());
  return 0;
}
