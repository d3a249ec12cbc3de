import { Row } from "./timeline-row.tsx";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef } from "react";
import { duration } from "../logic/format.ts";
import { stepsThat } from "../chart/lit.ts";
import { useSize } from "../parts/use-size.ts";
import { model } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";

const ROW = 24;

/** All steps, or those that the filter leaves. */
export function Timeline() {
  const scroller = useRef<HTMLDivElement>(null);
  const run = useModel((all) => all.run);
  const version = useModel((all) => all.run.version);
  const q = useModel((all) => all.q);
  const filter = useModel((all) => all.stepFilter);
  const found = useMemo(() => (filter ? stepsThat(run, filter) : undefined), [run, version, filter]);
  const count = found?.length ?? Math.max(0, run.last - run.first + 1);
  const stepOf = (row: number): number => found?.[row] ?? run.first + row;
  const rowOf = (step: number): number =>
    found ? found.findLastIndex((at) => at <= step) : step - run.first;
  const list = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 8,
  });
  const selected = rowOf(q);
  const isDrawn = list.getVirtualItems().some(({ index }) => index === selected);
  const { height } = useSize(scroller);
  useEffect(() => {
    const element = scroller.current;
    if (!element || selected < 0 || height === 0) return;
    const top = selected * ROW;
    const seen = list.scrollOffset ?? 0;
    if (top + ROW > seen + height) element.scrollTop = top + ROW - height;
    else if (top < seen) element.scrollTop = top;
  }, [selected, height, list]);
  const start = run.at(run.first)?.m ?? run.at(run.oldest)?.m ?? 0;
  return (
    <div className="timeline">
      {found && <FilterSummary found={found} />}
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
        aria-activedescendant={isDrawn ? `step-${q}` : undefined}
      >
        <div style={{ height: list.getTotalSize(), position: "relative" }}>
          {list.getVirtualItems().map(({ index: row, start: top }) => {
            const step = stepOf(row);
            return (
              <Row
                key={step}
                q={step}
                top={top}
                isSelected={row === selected}
                count={count}
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

function FilterSummary({ found }: { readonly found: readonly number[] }) {
  const { run } = model;
  const known = found.flatMap((q) => run.durationOf(q) ?? []);
  const sum = known.reduce((total, ms) => total + ms, 0);
  return (
    <p className="found">
      {found.length === 0 ? "No step yet" : `${found.length} of ${run.last} steps`}
      {known.length > 0 && ` · ${duration(sum / known.length)} on average`}
    </p>
  );
}
