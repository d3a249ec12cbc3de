import { useEffect, useRef, type KeyboardEvent } from "react";
import { useThrottled } from "../parts/use-throttled.ts";
import { useModel } from "../store/use-model.ts";
import type { IndexedChart } from "../store/model.ts";
import { takenEdges } from "../store/run-queries.ts";
import { HiddenStates, visibleStates, StateCard, within } from "./state-card.tsx";
import { useDisplayedStep } from "../store/displayed-step.ts";
import { ViewSwitch } from "./view-switch.tsx";
import { t } from "../words/t.ts";

/** The hidden outline for screen readers changes once a second, ms. */
const HIDDEN_INTERVAL_MS = 1_000;

/** The chart as nested cards with their transitions: for screen readers, and for charts without a layout. */
export function Outline({
  chart,
  isHidden = false,
}: {
  readonly chart: IndexedChart;
  readonly isHidden?: boolean;
}) {
  const { stepNumber: displayed } = useDisplayedStep();
  const stepNumber = useThrottled(displayed, isHidden ? HIDDEN_INTERVAL_MS : 0);
  const run = useModel((model) => model.run);
  const active = run.statesAt(stepNumber).join("\n");
  const pane = useRef<HTMLDivElement>(null);
  const hasActiveState = !isHidden && active !== "";
  useEffect(() => {
    if (hasActiveState)
      [...(pane.current?.querySelectorAll("[aria-current]") ?? [])]
        .at(-1)
        ?.scrollIntoView({ block: "center" });
  }, [hasActiveState]);
  const taken = [...takenEdges(run, stepNumber)].flatMap(([id, rank]) => (rank === 0 ? [id] : [])).join("\n");
  const states = chart.index.children.get(chart.index.root) ?? [];
  return (
    <div ref={pane} className={isHidden ? "hidden-text" : "outline-pane"}>
      {!isHidden && (
        <div className="tools" role="toolbar" aria-label={t("Chart")}>
          <ViewSwitch />
        </div>
      )}
      <ul className="outline" role="tree" aria-label={t`States of ${chart.chart.id}`} onKeyDown={moveFocus}>
        {visibleStates(states, active).map((node, place) => (
          <StateCard
            key={node.id}
            node={node}
            index={chart.index}
            active={within(active, node.id)}
            taken={within(taken, node.id)}
            level={1}
            isFirst={place === 0}
            isHidden={isHidden}
          />
        ))}
        <HiddenStates states={states} />
      </ul>
    </div>
  );
}

/** Moves the focus through the visible items of the tree with the arrow keys. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=treeitem]")];
  const place = items.indexOf((event.target as HTMLElement).closest<HTMLElement>("[role=treeitem]")!);
  const to = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: items.length - 1 }[event.key];
  if (event.key === "Enter") items[place]?.querySelector<HTMLElement>(".name")?.click();
  const isFolded = { ArrowRight: "false", ArrowLeft: "true" }[event.key];
  if (isFolded !== undefined && items[place]?.getAttribute("aria-expanded") === isFolded) {
    items[place].querySelector<HTMLElement>(".toggle")?.click();
    event.stopPropagation();
  }
  if (to === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  items[to]?.focus();
}
