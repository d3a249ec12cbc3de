import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type MouseEvent,
  type PointerEvent,
} from "react";
import { useSize } from "../parts/use-size.ts";
import { model, type ChartFilter, type IndexedChart, type Model } from "../store/model.ts";
import { filterSteps, filterStepsOf } from "../store/navigate.ts";
import { useDisplayedStep } from "../store/displayed-step.ts";
import { usePreferences } from "../store/preferences.ts";
import { useModel } from "../store/use-model.ts";
import type { Layout, Layouts } from "../wire/types.ts";
import { betterLayout, fitCamera, isFolded, showBox, type Size } from "./camera.ts";
import { ChartPicture, depthsOf } from "./chart-picture.tsx";
import { ChartTools } from "./chart-tools.tsx";
import { zoomState, type Way } from "../map/zoom-state.ts";
import { takenEdges, visitsOf } from "../store/run-queries.ts";
import { describeState } from "./state-caption.tsx";
import { FULL_SCALE, titleOf } from "./picture-texts.ts";
import { ServiceBadges } from "./service-badges.tsx";
import { useCamera } from "./use-camera.ts";
import { useTexts } from "./use-texts.ts";

/** The scale at which the camera enters and follows the active state: rows and labels are 11 px high. */
const ENTER_SCALE = 1;
/** The least scale at which it shows a state that is larger than the pane. */
const READABLE_SCALE = 0.6;
/** The scale below which only names are displayed. */
const OVERVIEW_SCALE = 0.62;
/** The scale below which not even names can be told apart: a pane so small shows the active state and what is around it. */
const LEAST_OVERVIEW_SCALE = 0.08;

/** The share of its scale at the entry at which the map takes the place of the chart again. */
const LEAVE_SCALE = 0.75;

/** The chart at the displayed step. */
export function ChartPane({ chart, layouts }: { readonly chart: IndexedChart; readonly layouts: Layouts }) {
  const panel = useRef<HTMLDivElement>(null);
  const size = useSize(panel);
  const { visits: wantsVisits, follow } = usePreferences();
  const [isDetailed, setDetailed] = useState(false);
  const whole = useMemo(() => betterLayout(layouts.portrait, layouts.landscape, size), [layouts, size]);
  const names = useMemo(() => namesOf(layouts, whole, size), [layouts, whole, size]);
  const isTiny = names !== undefined && isTooSmall(names, chart, fitCamera(names, size).scale);
  const isOverview = names !== undefined && !isDetailed && !follow && !isTiny;
  const layout = isOverview ? names : whole;
  const { stepNumber, version, isAnimated } = useDisplayedStep();
  const filter = useModel(chartFilter);
  const run = useModel(({ run }) => run);
  const active = run.statesAt(stepNumber);
  const near = isTiny ? whole.nodes.find(({ id }) => id === active.at(-1)) : undefined;
  const fit = useMemo(
    () => (near ? showBox(near, size, ENTER_SCALE, READABLE_SCALE) : fitCamera(layout, size)),
    [layout, size, near],
  );
  const { camera, isFit, choose, zoom, hasMoved } = useCamera(panel, fit, layout);
  const taken = useMemo(() => takenEdges(run, stepNumber), [run, stepNumber, version]);
  const visits = useMemo(() => (wantsVisits ? visitsOf(run) : undefined), [wantsVisits, run, version]);
  const scale = roundedScale(camera.scale);
  const innermost = active.at(-1);
  const depths = useMemo(() => depthsOf(chart.index), [chart]);
  const texts = useTexts({ layout, depths, scale, isOverview, taken });

  const [way, setWay] = useState<Way | null>(null);
  const showAll = useCallback(() => {
    setDetailed(false);
    setWay(null);
    choose(null);
  }, [choose]);
  /** Zooms to a state with its rows and labels. */
  const show = useCallback(
    (id: string | undefined, most: number) => {
      const node = whole.nodes.find((each) => each.id === id);
      if (!node || size.width === 0) return;
      setDetailed(true);
      choose(showBox(node, size, most, READABLE_SCALE), whole);
    },
    [whole, size, choose],
  );
  useLayoutEffect(() => {
    const { into } = zoomState;
    if (size.width === 0) return;
    zoomState.into = null;
    if (!into) return showAll();
    setDetailed(true);
    setWay(into);
    choose(into.camera, whole);
  }, [chart.hash, size.width === 0]);
  useEffect(() => {
    if (!way) return;
    if (camera.scale < way.camera.scale * LEAVE_SCALE && !isFit) {
      zoomState.back = { ...way, camera, isWhole: false };
      model.set({ view: "map" });
    }
  }, [way, camera, isFit]);
  const left = useRef<Way | null>(null);
  left.current = way && !isFit ? { ...way, camera, isWhole: true } : null;
  useLayoutEffect(() => () => void (zoomState.back ??= left.current), []);
  useEffect(() => {
    if (follow) show(innermost, ENTER_SCALE);
  }, [follow, innermost, show]);

  const pick = useCallback(
    (event: MouseEvent) => {
      if (hasMoved.current) return;
      const found = (event.target as Element).closest("[data-label], [data-edge], [data-state]");
      const { label, edge, state } = (found as SVGElement | null)?.dataset ?? {};
      if (label !== undefined) filterSteps({ kind: "edge", ids: [label] });
      else if (edge !== undefined) filterSteps({ kind: "edge", ids: edge.split(" ") });
      else if (state !== undefined && state !== chart.index.root) filterStepsOf(chart.index, state);
      else filterSteps(null);
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
    <div className="chart-frame">
      <ChartTools
        scale={camera.scale}
        isFit={isFit}
        fit={showAll}
        zoom={zoom}
        {...(names && { isOverview, enter: () => show(innermost, ENTER_SCALE) })}
      />
      <div
        ref={panel}
        className="canvas"
        data-follows={follow || undefined}
        onClick={pick}
        onPointerOver={hover}
        onPointerLeave={() => describeState(null)}
        onDoubleClick={enter}
      >
        {size.width > 0 && (
          <>
            <div className="sheet">
              <svg
                className="chart"
                width={Math.floor(size.width)}
                height={Math.floor(size.height)}
                data-overview={isOverview || undefined}
                data-compact={isOverview || camera.scale < FULL_SCALE || undefined}
                aria-hidden="true"
                style={{ "--scale": camera.scale } as CSSProperties}
              >
                <g style={{ transform: `translate(${camera.x}px, ${camera.y}px) scale(${camera.scale})` }}>
                  <ChartPicture
                    layout={layout}
                    index={chart.index}
                    active={active}
                    taken={taken}
                    animationKey={isAnimated ? stepNumber : undefined}
                    filter={filter}
                    visits={visits}
                    scale={scale}
                    isOverview={isOverview}
                    labels={texts.labels}
                  />
                </g>
              </svg>
            </div>
            <ServiceBadges
              stepNumber={stepNumber}
              version={version}
              nodes={layout.nodes}
              texts={texts.boxes}
              index={chart.index}
              camera={camera}
              view={size}
              beside={isOverview ? innermost : undefined}
            />
          </>
        )}
      </div>
    </div>
  );
}

/** True if a picture of names says nothing: it is very small, or its states have no room for their names and lie in no regions that have. */
const isTooSmall = ({ nodes }: Layout, { index }: IndexedChart, scale: number): boolean =>
  scale < LEAST_OVERVIEW_SCALE ||
  (nodes.every(({ id, hasChildren }) => !hasChildren || id === index.root) &&
    nodes.filter((node) => titleOf(node, 1, scale, true)).length < nodes.length / 2);

/** The filter as far as states and edges of the chart are picked by it. */
export const chartFilter = ({ stepFilter }: Model): ChartFilter | null =>
  stepFilter && stepFilter.kind !== "search" && stepFilter.kind !== "place" ? stepFilter : null;

function hover({ target }: PointerEvent): void {
  describeState((target as Element).closest<SVGElement>("[data-state]")?.dataset["state"] ?? null);
}

/** The layout of names, if the whole chart would be too small to read. */
function namesOf({ names }: Layouts, whole: Layout, size: Size): Layout | undefined {
  const isLegible = fitCamera(whole, size).scale >= OVERVIEW_SCALE;
  return names && !isLegible ? betterLayout(names.portrait, names.landscape, size) : undefined;
}

/** Rounded down, so that a name is rather larger than smaller than it must be; in finer steps where few names are drawn. */
const roundedScale = (scale: number): number => {
  const steps = isFolded(scale) ? 100 : 24;
  return Math.max(scale >= FULL_SCALE ? 1 : 0.04, Math.floor(scale * steps) / steps);
};
