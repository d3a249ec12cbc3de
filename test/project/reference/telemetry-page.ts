import { readFileSync } from "node:fs";
import { join } from "node:path";
import { memoryStore } from "agentchart/store/memory";
import { inProcessQueue, type Worker } from "agentchart/worker";
import { metricsOf } from "../../../src/cli/workers/worker-metrics.ts";
import { METRIC } from "../../../src/kit/otel/names.ts";
import { ROOT } from "../source-files.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

/** The values of an object of names with their docstrings, in order. */
function namesOf(source: string, constant: string): readonly (readonly [string, string])[] {
  const [, body = ""] =
    new RegExp(`^export const ${constant} = \\{\n([^]*?)^\\} as const`, "m").exec(source) ?? [];
  return [...body.matchAll(/(?:\/\*\* ([^]*?) \*\/\s*)?\w+: "([^"]+)"/g)].map(([, doc = "", name]) => [
    `\`${name}\``,
    doc.replaceAll(/\s*\n\s*\* ?/g, " "),
  ]);
}

/** The metrics of a worker as Prometheus reads them, with the labels that their definitions have. */
async function workerMetrics(): Promise<readonly (readonly string[])[]> {
  const stub: Pick<Worker, "stats" | "subscribe"> = {
    stats: () => ({ running: 0 }) as ReturnType<Worker["stats"]>,
    subscribe: () => () => {},
  };
  const queue = inProcessQueue();
  const text = await metricsOf(stub as Worker, queue, memoryStore()).text();
  await queue.close();
  const source = read("src/cli/workers/worker-metrics.ts");
  const labelsOf = (name: string): string => {
    const short = name.replace(/^agentchart_/, "").replace(/_(?:total|seconds)$/, "");
    const [, list] =
      new RegExp(`counter\\("${short}", "[^"]*", ([^)]+)\\)`).exec(source) ??
      new RegExp(`gauge\\("${short}", "[^"]*", \\[([^\\]]*)\\]`).exec(source) ??
      [];
    return list ? list.replaceAll('"', "`") : "";
  };
  return [...text.matchAll(/^# HELP (agentchart_\w+) (.+)\n# TYPE \w+ (\w+)/gm)].map(
    ([, name, help, type]) => [`\`${name}\``, type!, labelsOf(name!), `${help}.`],
  );
}

/** The page of spans, metrics and their attributes. */
export async function telemetryPage(): Promise<string> {
  const names = read("src/kit/otel/names.ts");
  const spans = namesOf(names, "OPERATION");
  const metrics = Object.values(METRIC).map(([name, unit, about]) => [`\`${name}\``, `\`${unit}\``, about]);
  return `# Spans and metrics

All names that telemetry uses, as the code defines them. [OpenTelemetry](../observability.md) says how agents get it,
[operate](../operate.md) which of it to watch.

## Spans

The name of a span is its operation, and behind it the name of the agent, the model or the tool, as in \`execute_tool refund\`.

${table(["operation", "of what"], [...spans, ["`compaction`", "A prompt that is made shorter."]])}

## Attributes of our own

${table(
  ["name", "what it says"],
  namesOf(names, "OWN").filter(([name]) => name !== "`compaction`"),
)}

## Attributes of the conventions

${namesOf(names, "GEN_AI")
  .map(([name]) => `- ${name}\n`)
  .join("")}
## Metrics of agents

\`otelObserver\` records them with the meter of OpenTelemetry.

${table(["name", "unit", "what it measures"], metrics)}

## Metrics of workers

\`agentchart worker --health-port\` serves them at \`/metrics\` for Prometheus, with those of Node. Those that end in \`_seconds\` are
histograms.

${table(["name", "type", "labels", "what it measures"], await workerMetrics())}
`;
}
