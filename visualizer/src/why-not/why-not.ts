import { configurationName, shortName, type ChartIndex } from "../logic/chart-index.ts";
import { eventText, guardText, matches } from "../logic/guards.ts";
import { choicesAt } from "../store/run-queries.ts";
import type { RunData } from "../store/run-data.ts";
import type { ChartEdge } from "../wire/types.ts";
import { t } from "../words/t.ts";

/** A value that a guard read, by its path in the context. */
export type Read = { readonly path: string; readonly value: string };

/** Reads the values of a guard that was false in a step; undefined if they are not known. */
export type ReadGuard = (
  run: RunData,
  stepNumber: number,
  group: readonly ChartEdge[],
  taken: ChartEdge,
  edge: ChartEdge,
) => { readonly reads: readonly Read[]; readonly isAfter: boolean } | undefined;

/** Says why an edge was not taken, or that it was. The step is the newest one that is about it. */
export type Verdict =
  | { readonly kind: "taken"; readonly edge: ChartEdge; readonly step: number }
  | {
      /** Its guard was judged, and was false. */
      readonly kind: "false";
      readonly edge: ChartEdge;
      readonly step: number;
      readonly reads: readonly Read[];
      /** True if the values are those after the step, false if they are those before it. */
      readonly isAfter: boolean;
    }
  | {
      /** Another edge stands before it, whose guard held. */
      readonly kind: "later";
      readonly edge: ChartEdge;
      readonly step: number;
      readonly before: ChartEdge;
    }
  | {
      /** Its source was active, but its event did not come. */
      readonly kind: "noEvent";
      readonly edge: ChartEdge;
      readonly step: number;
    }
  | {
      /** Its source was not active, as far as the steps are known. */
      readonly kind: "neverThere";
      readonly edge: ChartEdge;
      /** The first step that was searched. */
      readonly from: number;
    };

/** The nearest kinds of a miss first. */
const NEARNESS: readonly Verdict["kind"][] = ["false", "later", "noEvent", "neverThere", "taken"];
/** The maximum number of steps that are searched. */
const MAX_SEARCH = 5_000;

/** The edges that lead into a state from outside of it. */
export function edgesInto({ chart }: ChartIndex, id: string): readonly ChartEdge[] {
  const isInside = (each: string): boolean => each === id || each.startsWith(`${id}.`);
  return chart.edges.filter(({ source, targets }) => targets.some(isInside) && !isInside(source));
}

/** Says of each edge why it was not taken at a step or before it, or that it was: near misses first, then the newest first. */
export function whyNot(
  run: RunData,
  index: ChartIndex,
  edges: readonly ChartEdge[],
  stepNumber: number,
  read: ReadGuard = () => undefined,
): readonly Verdict[] {
  const verdicts = edges.map((edge) => verdictOf(run, index, edge, stepNumber, read));
  const stepOf = (verdict: Verdict): number => ("step" in verdict ? verdict.step : 0);
  return verdicts.toSorted(
    (a, b) => NEARNESS.indexOf(a.kind) - NEARNESS.indexOf(b.kind) || stepOf(b) - stepOf(a),
  );
}

function verdictOf(
  run: RunData,
  index: ChartIndex,
  edge: ChartEdge,
  stepNumber: number,
  read: ReadGuard,
): Verdict {
  const { leaving, edges } = index;
  const group = (leaving.get(edge.source) ?? []).filter(({ event }) => event === edge.event);
  const ids = new Set(group.map(({ id }) => id));
  let there: number | undefined;
  let from = stepNumber + 1;
  for (let step = stepNumber; run.at(step) && stepNumber - step < MAX_SEARCH; step--) {
    from = step;
    const takenId = run.at(step)?.edges.findLast((id) => ids.has(id));
    const taken = takenId === undefined ? undefined : edges.get(takenId);
    if (taken) return judged(run, step, group, taken, edge, read);
    if (wasFalse(run, index, step, edge)) return { kind: "false", edge, step, reads: [], isAfter: false };
    if (run.statesAt(step).includes(edge.source)) there ??= step;
  }
  return there === undefined ? { kind: "neverThere", edge, from } : { kind: "noEvent", edge, step: there };
}

/** True if the guard of an edge was false at an event for which its state took nothing. */
function wasFalse(run: RunData, index: ChartIndex, step: number, edge: ChartEdge): boolean {
  if (!matches(run.at(step)?.event ?? "", edge.event) || !run.statesAt(step - 1).includes(edge.source))
    return false;
  const { choices } = choicesAt(run, index, step);
  return choices.some(({ edges }) => edges.some((each) => each.edge.id === edge.id && each.is === "false"));
}

function judged(
  run: RunData,
  step: number,
  group: readonly ChartEdge[],
  taken: ChartEdge,
  edge: ChartEdge,
  read: ReadGuard,
): Verdict {
  if (taken.id === edge.id) return { kind: "taken", edge, step };
  if (group.indexOf(taken) < group.indexOf(edge)) return { kind: "later", edge, step, before: taken };
  const { reads = [], isAfter = true } = read(run, step, group, taken, edge) ?? {};
  return { kind: "false", edge, step, reads, isAfter };
}

/** Names an edge in a line: "acting.authorizing: done reviewCalls [needsApproval] → suspended". */
export function edgeText(edge: ChartEdge): string {
  const { source, event, targets, guard } = edge;
  const what = [event === "" ? "" : eventText(event), guard ? `[${guardText(edge)}]` : ""].filter(
    (part) => part !== "",
  );
  const to = targets.length === 0 ? "stays" : `→ ${targets.map(shortName).join(", ")}`;
  return `${shortName(source)}: ${[...what, to].join(" ")}`;
}

/** A verdict in a sentence. */
export function verdictText(verdict: Verdict): string {
  const { kind, edge } = verdict;
  switch (kind) {
    case "taken":
      return t`It was taken in step ${verdict.step}.`;
    case "false":
      return t`In step ${verdict.step} its guard ${guardText(edge)} was false.`;
    case "later":
      return t`In step ${verdict.step} ${guardText(verdict.before)} held, which is asked before it.`;
    case "noEvent":
      return t`${configurationName([edge.source])} was active up to step ${verdict.step}, but ${edge.event === "" ? t("nothing led on") : t`${eventText(edge.event)} did not come`}.`;
    case "neverThere":
      return verdict.from > 1
        ? t`The run has not been in ${shortName(edge.source)} since step ${verdict.from}; the steps before it were not searched.`
        : t`The run has not been in ${shortName(edge.source)}.`;
  }
}
