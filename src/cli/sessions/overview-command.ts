import { overviewOf } from "../../inspect/hub/overview-of.ts";
import type { Overview } from "../../inspect/protocol/overview.ts";
import type { Handler } from "../define-command.ts";
import { loadSuspicions } from "../load-suspicions.ts";
import { withExistingStore } from "../open-store.ts";
import { printsJson, table } from "../output.ts";
import type { overview as definition } from "./many-definitions.ts";

/** The maximum number of edges that a table has. */
const MAX_EDGES = 20;

/** `agentchart sessions overview`. */
export const overviewCommand: Handler<typeof definition> = async ({ flags }, io) => {
  const { agent, outcome, tool, suspicion, minCost, within, text: q } = flags;
  const suspicions = await loadSuspicions(flags.suspicions);
  const since = within === undefined ? undefined : Date.now() - within;
  const filter = { agent, outcome, tool, suspicion, minCost, q, since, suspicions };
  return withExistingStore(flags.store, async (store) => {
    const overview = await overviewOf(store, filter);
    io.stdout.write(printsJson(io, flags) ? `${JSON.stringify(overview)}\n` : textOf(overview));
    return 0;
  });
};

const number = (value: number | undefined): string => (value === undefined ? "–" : String(Math.round(value)));

function textOf({
  runs,
  omitted,
  outcomes,
  tools,
  suspicions,
  labels,
  edges,
  usage,
  periods,
}: Overview): string {
  const counts = (head: string, rows: readonly (readonly [string, number])[]): string[] =>
    rows.length === 0
      ? []
      : [
          table(
            [head, "SESSIONS"],
            rows.map(([name, count]) => [name, String(count)]),
          ),
        ];
  const cost = (value: number): string => value.toFixed(4);
  const parts = [
    `${runs} sessions${omitted > 0 ? `, ${omitted} older ones left out` : ""}: ${usage.inputTokens} tokens in, ${usage.outputTokens} out, cost ${cost(usage.cost)}${usage.unknown > 0 ? ` (not known of ${usage.unknown})` : ""}\n`,
    ...counts(
      "OUTCOME",
      outcomes.map((each) => [each.outcome, each.runs]),
    ),
    ...(tools.length === 0
      ? []
      : [
          table(
            ["TOOL", "SESSIONS", "CALLS", "FAILED", "P50 MS", "P95 MS"],
            tools.map(({ tool, runs: with_, calls, failed, p50, p95 }) => [
              tool,
              ...[with_, calls, failed, p50, p95].map(number),
            ]),
          ),
        ]),
    ...counts(
      "SUSPICION",
      suspicions.map((each) => [each.kind, each.runs]),
    ),
    ...counts(
      "LABEL",
      labels.map((each) => [each.label, each.runs]),
    ),
    ...(edges.length === 0
      ? []
      : [
          table(
            ["TIMES", "SESSIONS", "EDGE"],
            edges
              .slice(0, MAX_EDGES)
              .map(({ edge, runs: with_, times }) => [String(times), String(with_), edge]),
          ),
        ]),
    ...(periods.length < 2
      ? []
      : [
          table(
            ["FROM", "SESSIONS", "FAILED", "ODD", "CALLS", "FAILED CALLS", "P95 MS", "TOKENS", "COST"],
            periods.map((each) => [
              new Date(each.at).toISOString().slice(0, 16).replace("T", " "),
              ...[each.runs, each.failed, each.suspicious, each.calls, each.failedCalls, each.p95].map(
                number,
              ),
              number(each.inputTokens + each.outputTokens),
              cost(each.cost),
            ]),
          ),
        ]),
  ];
  return parts.join("\n");
}
