import {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type MouseEvent,
} from "react";
import { useSize } from "../parts/use-size.ts";
import type { KnownChart } from "../store/model.ts";
import { narrow } from "../store/navigate.ts";
import { usePace } from "../store/pace.ts";
import { usePreferences } from "../store/preferences.ts";
import { useModel } from "../store/use-model.ts";
import type { Layout, Layouts } from "../wire/types.ts";
import { betterLayout, fitCamera, showBox, type Size } from "./camera.ts";
import { ChartPicture } from "./chart-picture.tsx";
import { ChartTools } from "./chart-tools.tsx";
import { takenEdges, visitsOf } from "./lit.ts";
import { ServiceChips } from "./service-chips.tsx";
import { useCamera } from "./use-camera.ts";

/** The scale at which the camera follows: rows and labels can be read. */
const FOLLOWING = 0.9;
const ENTERED = 1;
/** The scale from which rows and labels are shown. */
const READABLE = 0.6;
/** The scale below which only names are shown. */
const LEGIBLE = 0.5;

/** The chart as it stands at the shown step. */
export function ChartPane({ chart, layouts }: { readonly chart: KnownChart; readonly layouts: Layouts }) {
  const panel = useRef<HTMLDivElement>(null);
  const size = useSize(panel);
  const { visits: wantsVisits, follow } = usePreferences();
  const [isDetailed, setDetailed] = useState(false);
  const whole = useMemo(() => betterLayout(layouts.portrait, layouts.landscape, size), [layouts, size]);
  const names = useMemo(() => namesOf(layouts, whole, size), [layouts, whole, size]);
  const isAfar = names !== undefined && !isDetailed && !follow;
  const layout = isAfar ? names : whole;
  const fit = useMemo(() => fitCamera(layout, size), [layout, size]);
  const { camera, isFit, choose, zoom, hasMoved } = useCamera(panel, fit, layout);
  const { q, version, isCalm } = usePace();
  const filter = useModel(({ stepFilter }) => stepFilter);
  const run = useModel(({ run }) => run);
  const active = run.statesAt(q);
  const taken = useMemo(() => takenEdges(run, q), [run, q, version]);
  const visits = useMemo(() => (wantsVisits ? visitsOf(run) : undefined), [wantsVisits, run, version]);
  const scale = roundedScale(camera.scale);
  const here = active.at(-1);

  const showAll = useCallback(() => {
    setDetailed(false);
    choose(null);
  }, [choose]);
  /** A state with all that is written in it. */
  const show = useCallback(
    (id: string | undefined, most: number) => {
      const place = whole.nodes.find((node) => node.id === id);
      if (!place || size.width === 0) return;
      setDetailed(true);
      choose(showBox(place, size, most, READABLE), whole);
    },
    [whole, size, choose],
  );
  useEffect(showAll, [chart.hash, showAll]);
  useEffect(() => {
    if (follow) show(here, FOLLOWING);
  }, [follow, here, show]);

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
      if (id !== undefined && id !== chart.index.root) show(id, 1.6);
      else showAll();
    },
    [show, showAll, chart],
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
                data-afar={isAfar || undefined}
                data-far={isAfar || camera.scale < READABLE || undefined}
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
                    isAfar={isAfar}
                  />
                </g>
              </svg>
            </div>
            <ServiceChips
              q={q}
              version={version}
              nodes={layout.nodes}
              index={chart.index}
              camera={camera}
              view={size}
              beside={isAfar ? here : undefined}
            />
          </>
        )}
      </div>
      <ChartTools
        scale={camera.scale}
        isFit={isFit}
        fit={showAll}
        zoom={zoom}
        {...(names && { isAfar, enter: () => show(here, ENTERED) })}
      />
    </div>
  );
}

/** The chart from afar, if nothing can be read in the whole of it. */
function namesOf({ names }: Layouts, whole: Layout, size: Size): Layout | undefined {
  const isLegible = fitCamera(whole, size).scale >= LEGIBLE;
  return names && !isLegible ? betterLayout(names.portrait, names.landscape, size) : undefined;
}

const roundedScale = (scale: number): number => Math.max(0.1, Math.round(scale * 12) / 12);
