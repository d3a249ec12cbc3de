import { Row } from "./timeline-row.tsx";
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { duration } from "../logic/format.ts";
import { stepsThat, timeIn } from "../diagram/lit.ts";
import { onKeys } from "../parts/on-keys.ts";
import { useSize } from "../parts/use-size.ts";
import { model, type StepFilter } from "../store/model.ts";
import { goLive, goTo, move } from "../store/navigate.ts";
import { usePace } from "../store/pace.ts";
import { useModel } from "../store/use-model.ts";

const ROW = 24;
/** Rows drawn beyond either end of what is seen: for who scrolls, not while steps rush by. */
const SPARE = 4;
const SPARE_IN_HASTE = 1;

/** All steps, or those that the filter leaves. */
export function Timeline() {
  const scroller = useRef<HTMLDivElement>(null);
  const run = useModel((all) => all.run);
  const { q, version, isCalm } = usePace();
  const spare = isCalm ? SPARE : SPARE_IN_HASTE;
  const filter = useModel((all) => all.stepFilter);
  const found = useMemo(() => (filter ? stepsThat(run, filter) : undefined), [run, version, filter]);
  const count = found?.length ?? Math.max(0, run.last - run.first + 1);
  const stepOf = (row: number): number => found?.[row] ?? run.first + row;
  const rowOf = (step: number): number =>
    found ? found.findLastIndex((at) => at <= step) : step - run.first;
  const selected = rowOf(q);
  const { height } = useSize(scroller);
  const [view, setView] = useState({ top: 0, selected: -1, height: 0 });
  // The rows of another selection are drawn at once where it will be, not once more after it was scrolled there.
  if (view.selected !== selected || view.height !== height)
    setView({ top: topToSee(selected, view.top, height), selected, height });
  useLayoutEffect(() => {
    if (scroller.current && view.selected >= 0) scroller.current.scrollTop = view.top;
  }, [view]);
  const first = Math.max(0, Math.floor(view.top / ROW) - spare);
  const drawn = Math.max(0, Math.min(count - first, Math.ceil(height / ROW) + 2 * spare));
  const page = Math.max(1, Math.floor(height / ROW) - 1);
  const isDrawn = selected >= first && selected < first + drawn;
  const start = run.at(run.first)?.m ?? run.at(run.oldest)?.m ?? 0;
  return (
    <div className="timeline">
      {found && filter && <FilterSummary found={found} filter={filter} />}
      <div className="line is-head" aria-hidden="true">
        <span>step</span>
        <span>time</span>
        <span>event</span>
        <span>state</span>
        <span>note</span>
        <span>tokens</span>
        <span>lasted</span>
        <span />
      </div>
      <div
        ref={scroller}
        className="rows-of"
        role="listbox"
        tabIndex={0}
        aria-label="Steps"
        aria-activedescendant={isDrawn ? `step-${stepOf(selected)}` : undefined}
        onKeyDown={onKeys({
          ArrowUp: () => move(-1),
          ArrowDown: () => move(1),
          PageUp: () => move(-page),
          PageDown: () => move(page),
          Home: () => goTo(stepOf(0)),
          End: goLive,
        })}
        onScroll={({ currentTarget: { scrollTop } }) => {
          if (Math.abs(scrollTop - view.top) >= 1) setView({ ...view, top: scrollTop });
        }}
      >
        <div style={{ height: count * ROW, position: "relative" }}>
          {Array.from({ length: drawn }, (_, at) => {
            const row = first + at;
            const step = stepOf(row);
            return (
              <Row
                // a row that leaves at one end comes in at the other
                key={row % drawn}
                q={step}
                top={row * ROW}
                isSelected={row === selected}
                // or all rows would be drawn anew with every step
                count={row === selected ? count : -1}
                place={row + 1}
                start={start}
                version={step === run.last || !run.at(step) ? version : 0}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** Scrolled as little as needed for a row to be seen whole. */
function topToSee(row: number, top: number, height: number): number {
  if (row < 0 || height === 0) return top;
  return Math.min(row * ROW, Math.max(top, (row + 1) * ROW - height));
}

function FilterSummary({
  found,
  filter,
}: {
  readonly found: readonly number[];
  readonly filter: StepFilter;
}) {
  const times = found.length === 1 ? "once" : `${found.length} times`;
  if (found.length === 0) return <p className="found">No step yet</p>;
  if (filter.kind === "edge") return <p className="found">taken {times}</p>;
  return (
    <p className="found">
      entered {times}, {duration(timeIn(model.run, filter.ids) / found.length)} on average
    </p>
  );
}
