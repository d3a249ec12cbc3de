import { useId, useMemo, type CSSProperties } from "react";
import type { Camera } from "../diagram/camera.ts";
import { ChartPicture } from "../diagram/chart-picture.tsx";
import { FULL_SCALE } from "../diagram/picture-texts.ts";
import { useDisplayedStep } from "../store/displayed-step.ts";
import type { IndexedChart } from "../store/model.ts";
import { takenEdges } from "../store/run-queries.ts";
import type { Layout } from "../wire/types.ts";
import type { Box } from "./placed.ts";

type Props = {
  readonly chart: IndexedChart;
  readonly layout: Layout;
  /** The camera of the chart. */
  readonly camera: Camera;
  /** The card that it is seen through, and the camera of the map. */
  readonly frame: Box;
  readonly outer: Camera;
  readonly depth: number;
};

/** Labels are read in the chart itself. */
const NONE: ReadonlyMap<string, Box> = new Map();

/** The chart in a card of the map, while a person zooms into it. */
export function ChartLayer({ chart, layout, camera, frame, outer, depth }: Props) {
  const clip = useId();
  const { run, stepNumber, version } = useDisplayedStep();
  const active = run.statesAt(stepNumber);
  const taken = useMemo(() => takenEdges(run, stepNumber), [run, stepNumber, version]);
  const scale = Math.max(0.1, Math.round(camera.scale * 12) / 12);
  return (
    <g className="chart-layer" aria-hidden="true" style={{ opacity: Math.min(1, depth * 1.8) }}>
      <clipPath id={clip}>
        <rect
          x={outer.x + frame.x * outer.scale}
          y={outer.y + frame.y * outer.scale}
          width={frame.width * outer.scale}
          height={frame.height * outer.scale}
          rx={10 * Math.min(outer.scale, 2)}
        />
      </clipPath>
      <g
        className="chart"
        clipPath={`url(#${clip})`}
        data-compact={camera.scale < FULL_SCALE || undefined}
        style={{ "--scale": camera.scale } as CSSProperties}
      >
        <rect className="ground" width="100%" height="100%" />
        <g transform={`translate(${camera.x} ${camera.y}) scale(${camera.scale})`}>
          <ChartPicture
            layout={layout}
            index={chart.index}
            active={active}
            taken={taken}
            animationKey={undefined}
            filter={null}
            visits={undefined}
            scale={scale}
            isOverview={false}
            {...(camera.scale < FULL_SCALE && { labels: NONE })}
          />
        </g>
      </g>
    </g>
  );
}
