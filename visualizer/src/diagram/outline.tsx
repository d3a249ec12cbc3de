import { useEffect, useRef, type KeyboardEvent } from "react";
import { useCalm } from "../parts/use-calm.ts";
import { useModel } from "../store/use-model.ts";
import type { KnownChart } from "../store/model.ts";
import { takenEdges } from "./lit.ts";
import { More, shownOf, StateCard, within } from "./state-card.tsx";
import { usePace } from "../store/pace.ts";
import { ViewSwitch } from "./view-switch.tsx";

/** Nobody reads faster: the hidden outline changes once a second. */
const TWIN_EACH = 1_000;

/** The chart as nested cards with their transitions: what a screen reader gets, and what is left without a layout. */
export function Outline({
  chart,
  isTwin = false,
}: {
  readonly chart: KnownChart;
  readonly isTwin?: boolean;
}) {
  const { q: shown } = usePace();
  const q = useCalm(shown, isTwin ? TWIN_EACH : 0);
  const run = useModel((model) => model.run);
  const active = run.statesAt(q).join("\n");
  const pane = useRef<HTMLDivElement>(null);
  const isThere = !isTwin && active !== "";
  useEffect(() => {
    if (isThere)
      [...(pane.current?.querySelectorAll("[aria-current]") ?? [])]
        .at(-1)
        ?.scrollIntoView({ block: "center" });
  }, [isThere]);
  const taken = [...takenEdges(run, q)].flatMap(([id, rank]) => (rank === 0 ? [id] : [])).join("\n");
  const states = chart.index.children.get(chart.index.root) ?? [];
  return (
    <div ref={pane} className={isTwin ? "hidden-text" : "outline-pane"}>
      {!isTwin && (
        <div className="tools" role="toolbar" aria-label="Chart">
          <ViewSwitch />
        </div>
      )}
      <ul className="outline" role="tree" aria-label={`States of ${chart.chart.id}`} onKeyDown={moveFocus}>
        {shownOf(states, active).map((node, place) => (
          <StateCard
            key={node.id}
            node={node}
            index={chart.index}
            active={within(active, node.id)}
            taken={within(taken, node.id)}
            level={1}
            isFirst={place === 0}
            isTwin={isTwin}
          />
        ))}
        <More states={states} />
      </ul>
    </div>
  );
}

/** Arrows go through the tree as it is seen. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=treeitem]")];
  const place = items.indexOf((event.target as HTMLElement).closest<HTMLElement>("[role=treeitem]")!);
  const to = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: items.length - 1 }[event.key];
  if (event.key === "Enter") items[place]?.querySelector<HTMLElement>(".name")?.click();
  if (to === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  items[to]?.focus();
}
