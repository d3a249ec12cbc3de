import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { duration } from "../logic/format.ts";
import { lanesOf, openedLanes, runsInside, type Lane } from "../logic/lanes.ts";
import { ticksOf, timeScale, type TimeScale } from "../logic/time-scale.ts";
import { Button } from "../parts/button.tsx";
import { useNow } from "../parts/use-now.ts";
import { useSize } from "../parts/use-size.ts";
import { useThrottled } from "../parts/use-throttled.ts";
import { useDisplayedStep } from "../store/displayed-step.ts";
import type { RunData } from "../store/run-data.ts";
import { useModel } from "../store/use-model.ts";
import { workLog } from "../store/work-log.ts";
import { openLane } from "./open-lane.ts";
import { WaterfallLane } from "./waterfall-lane.tsx";
import { offsetOf, useInnerWorks } from "./use-inner-works.ts";
import { useZoom } from "./use-zoom.ts";
import { t } from "../words/t.ts";

const ROW = 24;
const OVERSCAN = 4;
/** px between marks of the axis, and of space for the time behind the last bar. */
const TICK_PX = 90;
const TIME_PX = 130;
/** Lanes change so often while a run works, ms. */
const INTERVAL_MS = 200;

/** Shows the duration of work: a lane for each call, request, sub-agent and wait, on a linear axis. Long rests are folded. */
export function Waterfall() {
  const scroller = useRef<HTMLDivElement>(null);
  const axis = useRef<HTMLDivElement>(null);
  const run = useModel((all) => all.run);
  const index = useModel((all) => all.chart?.index);
  const rows = useModel((all) => all.rows);
  const runId = useModel((all) => all.selection.runId);
  const { stepNumber, version: current } = useDisplayedStep();
  const version = useThrottled(current, INTERVAL_MS);
  const isWorking = useModel((all) => all.isWorking);
  const now = useNow(INTERVAL_MS, isWorking);
  const { height } = useSize(scroller);
  const { width } = useSize(axis);
  const [top, setTop] = useState(0);
  const inner = useMemo(() => runsInside(rows, runId), [rows, runId]);
  const known = useInnerWorks(run, runId);
  const lanes = useMemo(
    () => openedLanes(lanesOf(workLog(run, index).works, inner), rows, known),
    [run, index, inner, rows, known, version],
  );
  const { zoom, from, setZoom } = useZoom(axis, scroller, width);
  const newest = run.at(run.last);
  const nowAt = newest ? newest.elapsed + (isWorking ? Math.max(0, now - newest.time) : 0) : 0;
  const scale = useMemo(
    () => scaleOf(run, index, nowAt, (width - TIME_PX) * zoom),
    [run, index, version, nowAt, width, zoom],
  );
  const selected = useMemo(() => laneAt(lanes, stepNumber), [lanes, stepNumber]);
  useEffect(() => {
    const box = scroller.current;
    if (!box || selected < 0) return;
    const at = selected * ROW;
    if (at < box.scrollTop) box.scrollTop = Math.max(0, at - ROW);
    else if (at + ROW > box.scrollTop + box.clientHeight) box.scrollTop = at + 2 * ROW - box.clientHeight;
  }, [selected, height]);
  const first = Math.max(0, Math.floor(top / ROW) - OVERSCAN);
  const drawn = lanes.slice(first, Math.ceil((top + height) / ROW) + OVERSCAN);
  const start = run.at(run.first)?.elapsed ?? 0;
  const elapsed = run.at(stepNumber)?.elapsed;
  return (
    <div className="waterfall">
      <div className="axis-row">
        <span className="names">
          <Button
            tone="quiet"
            icon="minus"
            title={t("Show more time")}
            isDisabled={zoom <= 1}
            onClick={() => setZoom(1 / 2)}
          />
          <Button
            tone="quiet"
            icon="plus"
            title={t("Show less time (Ctrl and the wheel)")}
            onClick={() => setZoom(2)}
          />
          <Button
            tone="quiet"
            icon="fit"
            title={t("Show the whole run")}
            isPressed={zoom === 1}
            onClick={() => setZoom(0)}
          />
        </span>
        <div ref={axis} className="axis" aria-hidden="true">
          {ticksOf(scale, from, from + width - TIME_PX / 2, TICK_PX, start).map(({ x, ms, text }) => (
            <span key={ms} className="tick num" style={{ transform: `translateX(${x - from}px)` }}>
              {text}
            </span>
          ))}
        </div>
      </div>
      <div
        ref={scroller}
        className="lanes"
        role="listbox"
        tabIndex={0}
        aria-label={t("Waterfall")}
        aria-activedescendant={
          selected >= first && selected < first + drawn.length ? `lane-${selected}` : undefined
        }
        onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
        onKeyDown={(event) => moveBetween(event, lanes, selected)}
      >
        <div style={{ height: lanes.length * ROW, position: "relative" }}>
          {drawn.map((lane, at) => (
            <WaterfallLane
              key={lane.key}
              lane={lane}
              place={first + at}
              count={lanes.length}
              top={(first + at) * ROW}
              scale={scale}
              from={from}
              width={width}
              nowAt={nowAt}
              offset={offsetOf(run)}
              isSelected={first + at === selected}
            />
          ))}
        </div>
      </div>
      {lanes.length === 0 && <p className="placeholder">{t("Nothing has taken time yet.")}</p>}
      <Overlay scale={scale} from={from} width={width} elapsed={elapsed} />
    </div>
  );
}

/** Shows the elements over all lanes: the folded rests, and the displayed step. */
function Overlay({
  scale,
  from,
  width,
  elapsed,
}: {
  readonly scale: TimeScale;
  readonly from: number;
  readonly width: number;
  readonly elapsed: number | undefined;
}) {
  const at = elapsed === undefined ? -1 : scale.x(elapsed) - from;
  return (
    <div className="lanes-overlay" aria-hidden="true">
      {scale.bands.map(({ x, width: wide, ms }) =>
        x - from + wide < 0 || x - from > width ? null : (
          <span
            key={x}
            className="rest"
            title={t`a rest of ${duration(ms)}`}
            style={{ left: x - from, width: wide }}
          >
            <span className="num">{duration(ms)}</span>
          </span>
        ),
      )}
      {at >= 0 && at <= width && <i className="now" style={{ transform: `translateX(${at}px)` }} />}
    </div>
  );
}

function scaleOf(
  run: RunData,
  index: Parameters<typeof workLog>[1],
  nowAt: number,
  width: number,
): TimeScale {
  const { works } = workLog(run, index);
  const rests = works
    .filter(({ kind, end }) => (kind === "rest" || kind === "wait") && end !== undefined)
    .map(({ begin, end }) => ({ begin, end: end! }));
  const start = run.at(run.first)?.elapsed ?? 0;
  return timeScale(start, Math.max(nowAt, start + 1), rests, Math.max(1, width));
}

/** The lane of the displayed step: of what it ended, else of what it began, else the innermost one that lasts at it. */
function laneAt(lanes: readonly Lane[], stepNumber: number): number {
  const ended = lanes.findIndex(
    ({ kind, works, of }) => of === undefined && kind !== "turn" && works.some(({ to }) => to === stepNumber),
  );
  if (ended >= 0) return ended;
  return lanes.findLastIndex(
    ({ works, of }) =>
      of === undefined &&
      works.some(({ from, to }) => from <= stepNumber && (to === undefined || to >= stepNumber)),
  );
}

function moveBetween(event: KeyboardEvent, lanes: readonly Lane[], selected: number): void {
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  let at = selected + by;
  while (lanes[at]?.run ?? lanes[at]?.of) at += by;
  const lane = lanes[at];
  if (lane) openLane(lane);
}
