import { useDarkness } from "./use-darkness.ts";
import { useWheel, type StripView } from "./use-strip-wheel.ts";
import { useCallback, useEffect, useMemo, useRef, useState, type PointerEvent } from "react";
import { duration } from "../logic/format.ts";
import { fromToSee, stepAt } from "../logic/strip-scale.ts";
import { onKeys } from "../parts/on-keys.ts";
import { useCalm } from "../parts/use-calm.ts";
import { useNow } from "../parts/use-now.ts";
import { useSize } from "../parts/use-size.ts";
import { fillAround } from "../store/load.ts";
import { model } from "../store/model.ts";
import { goLive, goTo, move } from "../store/navigate.ts";
import { usePreferences } from "../store/preferences.ts";
import { useModel } from "../store/use-model.ts";
import { StripForks } from "./strip-forks.tsx";
import { drawStrip, scaleOf, stepText } from "./strip-draw.ts";
import { readPalette } from "./strip-palette.ts";

const HEIGHT = 68;
/** A strip of more steps than these is drawn five times a second; one step more is hardly to be seen. */
const LONG = 1_500;
const REDRAWN_EACH = 200;

/** The whole run at a glance: a bar for each step, as high as it was long. Dragging shows the step under the pointer. */
export function Strip() {
  const panel = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width } = useSize(panel);
  const run = useModel((all) => all.run);
  const isLong = useModel((all) => all.run.last > LONG);
  const version = useCalm(
    useModel((all) => all.run.version),
    isLong ? REDRAWN_EACH : 0,
  );
  const q = useModel((all) => all.q);
  const isLive = useModel((all) => all.isLive);
  const index = useModel((all) => all.chart?.index);
  const { theme } = usePreferences();
  const isDark = useDarkness(theme);
  const isWorking = useModel((all) => all.isWorking);
  const now = useNow(1_000, isWorking);
  const [view, setView] = useState<StripView>({ zoom: 1, from: 0, q });
  const [hovered, setHovered] = useState<number | null>(null);
  const scaleAt = useCallback(
    (zoom: number) => scaleOf(run, index, width * zoom, isWorking ? now : undefined),
    [run, version, index, width, isWorking, now],
  );
  const scale = useMemo(() => scaleAt(view.zoom), [scaleAt, view.zoom]);
  const palette = useMemo(() => readPalette(document.body), [isDark]);
  useEffect(() => {
    if (canvas.current && width > 0)
      drawStrip({
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

  // another step than before is brought into view
  if (view.q !== q && width > 0)
    setView({ ...view, from: fromToSee(scale, q - run.first, view.from, width), q });

  const placeAt = (at: number): number =>
    (scale.edges[Math.min(Math.max(at, 0), scale.edges.length - 1)] ?? 0) - view.from;
  const placeOf = (step: number): number => placeAt(step - run.first + (isLive && step === run.last ? 1 : 0));
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
    <div className="strip-frame">
      <div
        ref={panel}
        className="strip"
        role="slider"
        tabIndex={0}
        aria-label="Step"
        aria-valuemin={run.first}
        aria-valuemax={Math.max(run.first, run.last)}
        aria-valuenow={Math.max(run.first, q)}
        aria-valuetext={stepText(run, q)}
        onKeyDown={pressed}
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
        {run.last > 0 && placeOf(q) >= -1 && placeOf(q) <= width + 1 && (
          <div
            className="playhead"
            data-live={isLive || undefined}
            style={{ transform: `translateX(${placeOf(q)}px)` }}
          />
        )}
        {hovered !== null && run.at(hovered) && (
          <div
            className="hint mono"
            style={{ transform: `translateX(${Math.min(Math.max(placeOf(hovered), 4), width - 300)}px)` }}
          >
            {hovered} · {stepText(run, hovered).split(", ")[1]} · {duration(run.durationOf(hovered))}
          </div>
        )}
      </div>
      <StripForks version={version} width={width} placeOf={(step) => placeAt(step - run.first)} />
    </div>
  );
}

const pressed = onKeys({
  ArrowLeft: () => move(-1),
  ArrowRight: () => move(1),
  PageUp: () => move(-50),
  PageDown: () => move(50),
  Home: () => goTo(model.run.first),
  End: goLive,
});
