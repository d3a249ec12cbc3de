import { useMemo, useSyncExternalStore } from "react";
import { shortName } from "../logic/chart-index.ts";
import { duration } from "../logic/format.ts";
import type { IndexedChart } from "../store/model.ts";
import { useDisplayedStep } from "../store/displayed-step.ts";
import { visitsOf } from "../store/run-queries.ts";
import { said } from "../words/said.ts";
import { t } from "../words/t.ts";

const listeners = new Set<() => void>();
let described: string | null = null;

/** Describes a state below the chart; null: the innermost one of the displayed step. */
export function describeState(id: string | null): void {
  if (id === described) return;
  described = id;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Shows the purpose of the state under the pointer, and the number of times it was entered; else the state of the displayed step. */
export function StateCaption({ chart: { index } }: { readonly chart: IndexedChart }) {
  const pointed = useSyncExternalStore(subscribe, () => described);
  const { run, stepNumber } = useDisplayedStep();
  const isKnown = pointed !== null && pointed !== index.root && index.nodes.has(pointed);
  const id = isKnown ? pointed : run.statesAt(stepNumber).at(-1);
  const visits = useMemo(() => (isKnown && id ? visitsOf(run).get(id) : undefined), [isKnown, id, run]);
  const node = id === undefined ? undefined : index.nodes.get(id);
  if (!node) return null;
  return (
    <p className="state-caption" data-testid="state-caption">
      <strong className="mono">{shortName(node.id)}</strong>
      <span>{node.description !== undefined && said(node.description)}</span>
      {visits && (
        <span className="num muted">
          {t("entered")} {visits.isPart && "≥ "}
          {visits.count === 1 ? t("once") : t`${visits.count} times`}, {duration(visits.ms)}
        </span>
      )}
    </p>
  );
}
