import { BeforeFork } from "./before-fork.tsx";
import { Row } from "./timeline-row.tsx";
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { duration } from "../logic/format.ts";
import { matchingSteps, timeIn } from "../store/run-queries.ts";
import { onKeys } from "../parts/on-keys.ts";
import { useSize } from "../parts/use-size.ts";
import { model, type StepFilter } from "../store/model.ts";
import { usePreferences } from "../store/preferences.ts";
import { toldSteps, withStep } from "../store/told-steps.ts";
import { goLive, goTo, move } from "../store/navigate.ts";
import { useDisplayedStep } from "../store/displayed-step.ts";
import { searchedFrom } from "../store/step-search.ts";
import { breakpointOfFilter, canBreak, openBreakpoints } from "../store/open-breakpoints.ts";
import { useModel } from "../store/use-model.ts";
import { t } from "../words/t.ts";

const ROW = 24;
/** Rows that are rendered beyond the visible part: for scrolling, and fewer while steps arrive fast. */
const OVERSCAN = 4;
const MIN_OVERSCAN = 1;

/** The list of steps, or of those that match the filter. */
export function Timeline() {
  const scroller = useRef<HTMLDivElement>(null);
  const run = useModel((all) => all.run);
  const { stepNumber, version, isAnimated } = useDisplayedStep();
  const overscan = isAnimated ? OVERSCAN : MIN_OVERSCAN;
  const filter = useModel((all) => all.stepFilter);
  const index = useModel((all) => all.chart?.index);
  const { internals } = usePreferences();
  const found = useMemo(
    () => (filter ? matchingSteps(run, filter, index) : undefined),
    [run, version, filter, index],
  );
  const told = useMemo(
    () => (filter || internals ? undefined : withStep(toldSteps(run, index), stepNumber)),
    [run, version, filter, index, internals, stepNumber],
  );
  const listed = found ?? told;
  const count = listed?.length ?? Math.max(0, run.last - run.first + 1);
  const stepOf = (row: number): number => listed?.[row] ?? run.first + row;
  const rowOf = (step: number): number =>
    listed ? listed.findLastIndex((at) => at <= step) : step - run.first;
  const selected = rowOf(stepNumber);
  const { height } = useSize(scroller);
  const [view, setView] = useState({ top: 0, selected: -1, height: 0 });
  // The rows of a new selection are rendered at their scroll position at once, instead of again after
  // scrolling.
  if (view.selected !== selected || view.height !== height)
    setView({ top: scrollTopFor(selected, view.top, height, count), selected, height });
  useLayoutEffect(() => {
    if (scroller.current && view.selected >= 0) scroller.current.scrollTop = view.top;
  }, [view]);
  const first = Math.max(0, Math.floor(view.top / ROW) - overscan);
  const drawn = Math.max(0, Math.min(count - first, Math.ceil(height / ROW) + 2 * overscan));
  const page = Math.max(1, Math.floor(height / ROW) - 1);
  // of a filter that leaves out the shown step, the row before it is in view, but none is marked
  const isDrawn = selected >= first && selected < first + drawn && stepOf(selected) === stepNumber;
  const start = run.at(run.first)?.elapsed ?? run.at(run.oldest)?.elapsed ?? 0;
  return (
    <div className="timeline" data-internals={internals || undefined}>
      <BeforeFork />
      {found && filter && <FilterSummary found={found} filter={filter} />}
      {filter && <StopHere filter={filter} />}
      <div className="line is-head" aria-hidden="true">
        <span>{t("step")}</span>
        <span>{t("time")}</span>
        <span>{t("what happened")}</span>
        <span>{t("state after it")}</span>
        <span>{t("tokens")}</span>
        <span title={t("How long what ended in the step had taken")}>{t("took")}</span>
        <span />
      </div>
      <div
        ref={scroller}
        className="rows-of"
        role="listbox"
        tabIndex={0}
        aria-label={t("Steps")}
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
                // elements of rows that leave at one end are reused at the other
                key={row % drawn}
                run={run}
                stepNumber={step}
                top={row * ROW}
                isSelected={step === stepNumber}
                // otherwise every row would be rendered again with every step
                count={step === stepNumber ? count : -1}
                place={row + 1}
                start={start}
                index={index}
                version={step === run.last || !run.at(step) ? version : 0}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** Rows that stay visible around the selected one. */
const CONTEXT_ROWS = 2;

/** The scroll position nearest to `top` at which a row is visible with some rows before and after it. */
function scrollTopFor(row: number, top: number, height: number, count: number): number {
  if (row < 0 || height === 0) return top;
  const around = Math.max(0, Math.min(CONTEXT_ROWS, Math.floor((height / ROW - 1) / 2)));
  const wanted = Math.min((row - around) * ROW, Math.max(top, (row + around + 1) * ROW - height));
  return Math.max(0, Math.min(wanted, count * ROW - height));
}

/** Offers to stop the run where the filter is about. */
function StopHere({ filter }: { readonly filter: StepFilter }) {
  const isOffered = useModel(canBreak);
  const breakpoint = breakpointOfFilter(model, filter);
  if (!isOffered || !breakpoint) return null;
  return (
    <p className="stop-here">
      <button type="button" className="link" onClick={() => openBreakpoints(breakpoint)}>
        {t("Set a breakpoint here")}
      </button>
    </p>
  );
}

type SummaryProps = { readonly found: readonly number[]; readonly filter: StepFilter };

/** Says how many steps a filter finds, and which were not searched. */
function FilterSummary({ found, filter }: SummaryProps) {
  const { run } = model;
  const from = searchedFrom(run);
  return (
    <p className="found" role={filter.kind === "search" ? "status" : undefined}>
      {summaryOf(found, filter, from)}
      {from > run.first &&
        (filter.kind === "search"
          ? t`; the steps before ${from} are not loaded and not searched`
          : t`; not all steps before ${from} are loaded`)}
    </p>
  );
}

function summaryOf(found: readonly number[], filter: StepFilter, from: number): string {
  const { run } = model;
  const steps =
    found.length === 0 ? t("No matching steps") : found.length === 1 ? t("1 step") : t`${found.length} steps`;
  const times = found.length === 1 ? t("once") : t`${found.length} times`;
  if (filter.kind === "search") return `${steps} ${t("of")} ${run.last - from + 1}`;
  if (found.length === 0) return steps;
  if (filter.kind === "edge") return `${t("taken")} ${times}`;
  if (filter.kind === "place") return `${steps} ${t("of")} ${filter.label}`;
  return `${t("entered")} ${times}, ${duration(timeIn(run, filter.ids) / found.length)} ${t("on average")}`;
}
