import { ANY_SUSPICION, hasFacts, type OutcomeName, type RunFilter, type RunRow } from "../wire/types.ts";
import { t } from "../words/t.ts";

/** The filters of the list of runs, as a person sets them: "" and 0 for none. */
export type ListFilter = {
  readonly agent: string;
  readonly outcome: OutcomeName | "";
  readonly tool: string;
  /** The name of a check that has found something; "any" for one of all. */
  readonly suspicion: string;
  /** The newest label of people. */
  readonly label: string;
  /** Only runs that have changed within so many hours. */
  readonly hours: number;
  readonly minCost: number;
};

/** The filter that all runs pass. */
export const NO_FILTER: ListFilter = {
  agent: "",
  outcome: "",
  tool: "",
  suspicion: "",
  label: "",
  hours: 0,
  minCost: 0,
};

/** The times to choose from, in hours. */
export const HOURS: readonly (readonly [hours: number, name: string])[] = [
  [1, t("last hour")],
  [24, t("last 24 hours")],
  [168, t("last 7 days")],
  [720, t("last 30 days")],
];

const HOUR_MS = 3_600_000;

/** Returns the query with which the server is asked. `now`: epoch ms. */
export function queryOf(
  { agent, outcome, tool, suspicion, label, hours, minCost }: ListFilter,
  search: string,
  now: number,
): RunFilter {
  const q = search.trim();
  return {
    ...(q !== "" && { q }),
    ...(agent !== "" && { agent }),
    ...(outcome !== "" && { outcome }),
    ...(tool !== "" && { tool }),
    ...(suspicion !== "" && { suspicion }),
    ...(label !== "" && { label }),
    ...(hours > 0 && { since: now - hours * HOUR_MS }),
    ...(minCost > 0 && { minCost }),
  };
}

/** An active filter: its key, and what it says. */
export type Chip = { readonly key: keyof ListFilter; readonly text: string };

/** The active filters, for people. */
export function chipsOf(filter: ListFilter): readonly Chip[] {
  const { agent, outcome, tool, suspicion, label, hours, minCost } = filter;
  const chips: readonly (Chip | false)[] = [
    outcome !== "" && { key: "outcome", text: t(outcome) },
    agent !== "" && { key: "agent", text: t`agent ${agent}` },
    tool !== "" && { key: "tool", text: t`tool ${tool}` },
    suspicion !== "" && {
      key: "suspicion",
      text: suspicion === ANY_SUSPICION ? t("any suspicion") : t`suspicion ${suspicion}`,
    },
    label !== "" && { key: "label", text: t`label ${t(label)}` },
    hours > 0 && {
      key: "hours",
      text: HOURS.find(([each]) => each === hours)?.[1] ?? t`last ${hours} hours`,
    },
    minCost > 0 && { key: "minCost", text: t`cost ≥ ${minCost}` },
  ];
  return chips.filter((chip) => chip !== false);
}

/** True if a row is listed: it has what can be seen in it, and the server has found it, unless its title, agent or id say enough. */
export function isListed(row: RunRow, query: RunFilter, found: ReadonlySet<string>): boolean {
  if (!hasFacts(row, query)) return false;
  if (found.has(row.runId)) return true;
  if (query.tool !== undefined || query.label !== undefined) return false;
  const about = `${row.agent} ${row.runId} ${row.title ?? ""}`.toLowerCase();
  return query.q === undefined || about.includes(query.q.toLowerCase());
}
