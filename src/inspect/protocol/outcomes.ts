import type { Reason } from "../../core/message/types.ts";
import type { SessionPhase } from "../../store/port.ts";
import { outcomeNamed, type OutcomeName } from "../../store/outcomes.ts";
import type { RunGroup, RunRow } from "./protocol.ts";

export { OUTCOME_NAMES, outcomeNamed, type OutcomeName } from "../../store/outcomes.ts";

/** The filters of the list of runs. */
export type RunFilter = {
  /** Words in any order, each of which begins a word of the run: of its id, title, agent, messages and calls. */
  readonly q?: string;
  /** The name of the agent. */
  readonly agent?: string;
  readonly outcome?: OutcomeName;
  /** The model has asked for this tool. */
  readonly tool?: string;
  /** A check of this name has found something; "any": one of all checks has. */
  readonly suspicion?: string;
  /** The newest label that people gave the run, such as "wrong". */
  readonly label?: string;
  /** Epoch ms: the run has changed at this time or later. */
  readonly since?: number;
  /** The known cost is at least this. */
  readonly minCost?: number;
};

/** True if the row has what a filter asks for, its text, its tools and its label aside. */
export function hasFacts(
  row: {
    readonly suspicions?: readonly { readonly kind: string }[];
    readonly agent: string;
    readonly phase: SessionPhase;
    readonly reason?: Reason;
    readonly updatedAt: number;
    readonly usage: { readonly cost?: number };
  },
  { agent, outcome, since, minCost, suspicion }: RunFilter,
): boolean {
  const { phases, reasons } = outcome ? outcomeNamed(outcome) : {};
  return (
    (suspicion === undefined || isSuspicious(row, suspicion)) &&
    (agent === undefined || row.agent === agent) &&
    (!phases || phases.includes(row.phase)) &&
    (!reasons || (row.reason !== undefined && reasons.includes(row.reason))) &&
    (since === undefined || row.updatedAt >= since) &&
    (minCost === undefined || (row.usage.cost ?? -1) >= minCost)
  );
}

/** True if a check of this name, or any, has found something in a run. */
export function isSuspicious(
  { suspicions = [] }: { readonly suspicions?: readonly { readonly kind: string }[] },
  name: string,
): boolean {
  return name === ANY_SUSPICION ? suspicions.length > 0 : suspicions.some(({ kind }) => kind === name);
}

/** The name that stands for all checks in a filter. No check has it. */
export const ANY_SUSPICION = "any";

/** Returns the group of a run in the list. */
export function groupOf({ phase, waitsFor }: Pick<RunRow, "phase" | "waitsFor">): RunGroup {
  switch (phase) {
    case "running":
      return "running";
    case "suspended":
      return waitsFor.length > 0 ? "needsYou" : "suspended";
    case "unfinished":
    case "quarantined":
      return "suspended";
    case "stopped":
      return "finished";
  }
}
