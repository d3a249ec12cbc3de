import { useIsDark } from "./use-is-dark.ts";
import { useWheel, type ScrubberView } from "./use-scrubber-wheel.ts";
import { useCallback, useEffect, useMemo, useRef, useState, type PointerEvent } from "react";
import { duration } from "../logic/format.ts";
import { scrollToStep, stepAt } from "../logic/scrubber-scale.ts";
import { onKeys } from "../parts/on-keys.ts";
import { useThrottled } from "../parts/use-throttled.ts";
import { useNow } from "../parts/use-now.ts";
import { useSize } from "../parts/use-size.ts";
import { fillAround } from "../store/load.ts";
import { model } from "../store/model.ts";
import { goLive, goTo, move } from "../store/navigate.ts";
import { usePreferences } from "../store/preferences.ts";
import { useModel } from "../store/use-model.ts";
import { ScrubberForks } from "./scrubber-forks.tsx";
import { drawScrubber, scaleOf, stepText } from "./scrubber-draw.ts";
import { readPalette } from "./scrubber-palette.ts";
import { t } from "../words/t.ts";

const HEIGHT = 26;
/** A scrubber with more steps is redrawn five times a second; single steps are hardly visible in it. */
const LONG_RUN_STEPS = 1_500;
const REDRAW_INTERVAL_MS = 200;

/** The steps of the run as a band, in which a step is as wide as the logarithm of its time. Dragging selects the step under the pointer. */
export function Scrubber() {
  const panel = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width } = useSize(panel);
  const run = useModel((all) => all.run);
  const isLong = useModel((all) => all.run.last > LONG_RUN_STEPS);
  const version = useThrottled(
    useModel((all) => all.run.version),
    isLong ? REDRAW_INTERVAL_MS : 0,
  );
  const stepNumber = useModel((all) => all.stepNumber);
  const isLive = useModel((all) => all.isLive);
  const index = useModel((all) => all.chart?.index);
  const { theme } = usePreferences();
  const isDark = useIsDark(theme);
  const isWorking = useModel((all) => all.isWorking);
  const now = useNow(1_000, isWorking);
  const [view, setView] = useState<ScrubberView>({ zoom: 1, from: 0, stepNumber });
  const [hovered, setHovered] = useState<number | null>(null);
  const scaleAt = useCallback(
    (zoom: number) => scaleOf(run, index, width * zoom, isWorking ? now : undefined),
    [run, version, index, width, isWorking, now],
  );
  const scale = useMemo(() => scaleAt(view.zoom), [scaleAt, view.zoom]);
  const palette = useMemo(() => readPalette(document.body), [isDark]);
  useEffect(() => {
    if (canvas.current && width > 0)
      drawScrubber({
        canvas: canvas.current,
        run,
        index,
        scale,
        from: view.from,
        width,
        height: HEIGHT,
        palette,
      });
  }, [run, version, index, scale, view.from, width, palette]);
  useWheel(panel, width, scaleAt, setView);

  // scrolls a newly selected step into view
  if (view.stepNumber !== stepNumber && width > 0)
    setView({ ...view, from: scrollToStep(scale, stepNumber - run.first, view.from, width), stepNumber });

  const positionAt = (at: number): number =>
    (scale.edges[Math.min(Math.max(at, 0), scale.edges.length - 1)] ?? 0) - view.from;
  const positionOf = (step: number): number =>
    positionAt(step - run.first + (isLive && step === run.last ? 1 : 0));
  const stepUnder = (event: PointerEvent): number => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().x;
    return run.first + Math.max(0, stepAt(scale, x + view.from));
  };
  const scrub = (event: PointerEvent): void => {
    const step = stepUnder(event);
    if (!run.at(step)) void fillAround(step);
    goTo(step);
  };
  return (
    <div className="scrubber-frame">
      <ScrubberForks version={version} width={width} positionOf={(step) => positionAt(step - run.first)} />
      <div
        ref={panel}
        className="scrubber"
        role="slider"
        tabIndex={0}
        aria-label={t("Step")}
        aria-valuemin={run.first}
        aria-valuemax={Math.max(run.first, run.last)}
        aria-valuenow={Math.max(run.first, stepNumber)}
        aria-valuetext={stepText(run, stepNumber)}
        onKeyDown={onScrubberKey}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          scrub(event);
        }}
        onPointerMove={(event) => {
          setHovered(stepUnder(event));
          if (event.buttons === 1) scrub(event);
        }}
        onPointerLeave={() => setHovered(null)}
      >
        <canvas ref={canvas} aria-hidden="true" />
        {run.last > 0 && positionOf(stepNumber) >= -1 && positionOf(stepNumber) <= width + 1 && (
          <div
            className="playhead"
            data-live={isLive || undefined}
            style={{ transform: `translateX(${positionOf(stepNumber)}px)` }}
          />
        )}
        {hovered !== null && run.at(hovered) && (
          <div
            className="hint mono"
            style={{ transform: `translateX(${Math.max(4, Math.min(positionOf(hovered), width - 220))}px)` }}
          >
            {hovered} · {stepText(run, hovered).split(", ")[1]} · {duration(run.durationOf(hovered))}
          </div>
        )}
      </div>
    </div>
  );
}

const onScrubberKey = onKeys({
  ArrowLeft: () => move(-1),
  ArrowRight: () => move(1),
  PageUp: () => move(-50),
  PageDown: () => move(50),
  Home: () => goTo(model.run.first),
  End: goLive,
});
