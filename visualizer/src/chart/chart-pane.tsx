import { useCallback, useEffect, useMemo, useRef, type CSSProperties, type MouseEvent } from "react";
import { useSize } from "../parts/use-size.ts";
import type { KnownChart } from "../store/model.ts";
import { narrow } from "../store/navigate.ts";
import { usePreferences } from "../store/preferences.ts";
import { useModel } from "../store/use-model.ts";
import type { Layouts } from "../wire/types.ts";
import { betterLayout, fitCamera, showBox } from "./camera.ts";
import { ChartPicture } from "./chart-picture.tsx";
import { ChartTools } from "./chart-tools.tsx";
import { takenEdges, visitsOf } from "./lit.ts";
import { ServiceChips } from "./service-chips.tsx";
import { useCamera } from "./use-camera.ts";
import { usePace } from "./use-pace.ts";

/** The scale at which the camera follows: rows and labels can be read. */
const FOLLOWING = 0.9;

/** The chart as it stands at the shown step. */
export function ChartPane({ chart, layouts }: { readonly chart: KnownChart; readonly layouts: Layouts }) {
  const panel = useRef<HTMLDivElement>(null);
  const size = useSize(panel);
  const layout = useMemo(() => betterLayout(layouts.portrait, layouts.landscape, size), [layouts, size]);
  const fit = useMemo(() => fitCamera(layout, size), [layout, size]);
  const { camera, isFit, choose, zoom, hasMoved } = useCamera(panel, fit);
  const { q, version, isCalm } = usePace();
  const filter = useModel(({ stepFilter }) => stepFilter);
  const { visits: wantsVisits, follow } = usePreferences();
  const run = useModel(({ run }) => run);
  const active = run.statesAt(q);
  const taken = useMemo(() => takenEdges(run, q), [run, q, version]);
  const visits = useMemo(() => (wantsVisits ? visitsOf(run) : undefined), [wantsVisits, run, version]);
  const scale = roundedScale(camera.scale);
  const here = active.at(-1);

  useEffect(() => choose(null), [chart.hash, choose]);
  useEffect(() => {
    const place = layout.nodes.find(({ id }) => id === here);
    if (follow && place && size.width > 0) choose(showBox(place, size, FOLLOWING));
  }, [follow, here, layout, size, choose]);

  const pick = useCallback(
    (event: MouseEvent) => {
      if (hasMoved.current) return;
      const found = (event.target as Element).closest("[data-label], [data-edge], [data-state]");
      const { label, edge, state } = (found as SVGElement | null)?.dataset ?? {};
      if (label !== undefined) narrow({ kind: "edge", ids: [label] });
      else if (edge !== undefined) narrow({ kind: "edge", ids: edge.split(" ") });
      else if (state !== undefined && state !== chart.index.root) narrow({ kind: "state", ids: [state] });
      else narrow(null);
    },
    [chart, hasMoved],
  );
  const enter = useCallback(
    (event: MouseEvent) => {
      const id = (event.target as Element).closest<SVGElement>(".is-compound")?.dataset["state"];
      const place = layout.nodes.find((node) => node.id === id);
      if (place && place.id !== chart.index.root) choose(showBox(place, size, 1.6));
      else choose(null);
    },
    [layout, size, choose, chart],
  );

  return (
    <div className="chart-pane">
      <div
        ref={panel}
        className="canvas"
        data-follows={follow || undefined}
        onClick={pick}
        onDoubleClick={enter}
      >
        {size.width > 0 && (
          <>
            <div className="sheet">
              <svg
                className="chart"
                width={Math.floor(size.width)}
                height={Math.floor(size.height)}
                data-far={scale < 0.6 || undefined}
                aria-hidden="true"
                style={{ "--scale": camera.scale } as CSSProperties}
              >
                <g style={{ transform: `translate(${camera.x}px, ${camera.y}px) scale(${camera.scale})` }}>
                  <ChartPicture
                    layout={layout}
                    index={chart.index}
                    active={active}
                    taken={taken}
                    flight={isCalm ? q : undefined}
                    filter={filter}
                    visits={visits}
                    scale={scale}
                  />
                </g>
              </svg>
            </div>
            <ServiceChips q={q} version={version} nodes={layout.nodes} index={chart.index} camera={camera} />
          </>
        )}
      </div>
      <ChartTools scale={camera.scale} isFit={isFit} fit={() => choose(null)} zoom={zoom} />
    </div>
  );
}

const roundedScale = (scale: number): number => Math.max(0.1, Math.round(scale * 12) / 12);
