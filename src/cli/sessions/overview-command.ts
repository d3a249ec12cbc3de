import { overviewOf } from "../../inspect/hub/overview-of.ts";
import type { Overview } from "../../inspect/protocol/overview.ts";
import type { Handler } from "../define-command.ts";
import { loadSuspicions } from "../load-suspicions.ts";
import { withExistingStore } from "../open-store.ts";
import { printReport, table } from "../output.ts";
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
    printReport(io, flags, await overviewOf(store, filter), textOf);
    return 0;
  });
};

const number = (value: number | undefined): string => (value === undefined ? "–" : String(Math.round(value)));

const cost = (value: number): string => value.toFixed(4);

const counts = (head: string, rows: readonly (readonly [string, number])[]): string =>
  table(
    [head, "SESSIONS"],
    rows.map(([name, count]) => [name, String(count)]),
  );

const PERIODS = ["FROM", "SESSIONS", "FAILED", "ODD", "CALLS", "FAILED CALLS", "P95 MS", "TOKENS", "COST"];

function periodRow(each: Overview["periods"][number]): string[] {
  const { at, runs, failed, suspicious, calls, failedCalls, p95, inputTokens, outputTokens } = each;
  const numbers = [runs, failed, suspicious, calls, failedCalls, p95, inputTokens + outputTokens];
  const from = new Date(at).toISOString().slice(0, 16).replace("T", " ");
  return [from, ...numbers.map(number), cost(each.cost)];
}

function textOf(overview: Overview): string {
  const { runs, omitted, outcomes, tools, suspicions, labels, edges, usage, periods } = overview;
  const parts = [
    `${runs} sessions${omitted > 0 ? `, ${omitted} older ones left out` : ""}: ${usage.inputTokens} tokens in, ${usage.outputTokens} out, cost ${cost(usage.cost)}${usage.unknown > 0 ? ` (not known of ${usage.unknown})` : ""}\n`,
    counts(
      "OUTCOME",
      outcomes.map((each) => [each.outcome, each.runs]),
    ),
    table(
      ["TOOL", "SESSIONS", "CALLS", "FAILED", "P50 MS", "P95 MS"],
      tools.map((each) => [
        each.tool,
        ...[each.runs, each.calls, each.failed, each.p50, each.p95].map(number),
      ]),
    ),
    counts(
      "SUSPICION",
      suspicions.map((each) => [each.kind, each.runs]),
    ),
    counts(
      "LABEL",
      labels.map((each) => [each.label, each.runs]),
    ),
    table(
      ["TIMES", "SESSIONS", "EDGE"],
      edges.slice(0, MAX_EDGES).map((each) => [String(each.times), String(each.runs), each.edge]),
    ),
    periods.length < 2 ? "" : table(PERIODS, periods.map(periodRow)),
  ];
  return parts.filter((part) => part !== "").join("\n");
}
