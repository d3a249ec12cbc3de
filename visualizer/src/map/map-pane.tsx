import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type PointerEvent } from "react";
import { betterLayout, type Camera, type Size } from "../diagram/camera.ts";
import { ChartLayer, loadEngine } from "../diagram/lazy-engine.tsx";
import { useCamera } from "../diagram/use-camera.ts";
import { useSize } from "../parts/use-size.ts";
import { model, type IndexedChart, type PlaceFilter } from "../store/model.ts";
import { filterSteps, select } from "../store/navigate.ts";
import { useModel } from "../store/use-model.ts";
import type { Layout } from "../wire/types.ts";
import type { AgentMap } from "./agent-map.ts";
import {
  cameraInto,
  cardInView,
  chartInCard,
  depthAt,
  focusOf,
  outOf,
  partOf,
  through,
} from "./chart-zoom.ts";
import { layOutMap } from "./map-layout.ts";
import type { MapLayout, PlacedCard } from "./placed.ts";
import { MapPicture } from "./map-picture.tsx";
import { MapTools } from "./map-tools.tsx";
import { measureAgain } from "./measure.ts";
import { useAgentMap } from "./use-agent-map.ts";
import { useFlight } from "./use-flight.ts";
import { zoomState } from "./zoom-state.ts";
import { t } from "../words/t.ts";

/** The view for which the map is designed; in a larger one it is enlarged, to at most this. */
const DESIGN: Size = { width: 800, height: 440 };
const MOST_ENLARGED = 1.4;
/** The largest scale: more than the chart needs until it is shown alone. */
const MAX_SCALE = 60;

const LOAD_AFTER_MS = 300;

const enlargement = ({ width, height }: Size): number =>
  Math.min(MOST_ENLARGED, Math.max(1, Math.min(width / DESIGN.width, height / DESIGN.height)));

/** The agent as a person thinks of it, at the displayed step. Zooming into a card leads to the states that it stands for. */
export function MapPane({ chart }: { readonly chart: IndexedChart }) {
  const panel = useRef<HTMLDivElement>(null);
  const size = useSize(panel);
  const { map, stepNumber } = useAgentMap(chart);
  const runId = useModel((all) => all.selection.runId);
  const [opened, toggle] = useOpened(runId);
  const hasFonts = useFonts();
  const base = enlargement(size);
  const layout = useMemo(
    () => layOutMap(map, { width: size.width / base, height: size.height / base }, opened),
    [map, size, base, opened, hasFonts],
  );
  const fit = useMemo<Camera>(() => ({ x: 0, y: 0, scale: base }), [base]);
  const { camera, isFit, choose, zoom, hasMoved } = useCamera(panel, fit, PICTURE, [base, MAX_SCALE]);
  const flight = useFlight(choose);
  const whole = useMemo(
    () => chart.layouts && betterLayout(chart.layouts.portrait, chart.layouts.landscape, size),
    [chart, size],
  );
  const zoomed = useZoomed({ layout, whole, chart, camera, size, base });
  const filter = useModel(({ stepFilter }) => (stepFilter?.kind === "place" ? stepFilter : null));

  const enter = useCallback(
    (card: PlacedCard) => {
      if (!whole || size.width === 0) return;
      const part = partOf(chart.index, whole, card.place);
      const focus = focusOf(chart.index, whole, card.place, model.run.statesAt(stepNumber));
      const to = cameraInto(part, focus, card, size);
      zoomed.focus(card.id);
      flight(camera, to, () => handOver(card, through(to, chartInCard(part, card))));
    },
    [whole, chart, size, camera, flight, zoomed, stepNumber],
  );
  useLayoutEffect(() => {
    const { back } = zoomState;
    const card = layout.cards.find(({ id }) => id === back?.card);
    if (!back || size.width === 0) return;
    zoomState.back = null; // also of another run
    if (!card || !whole) return;
    const from = outOf(back.camera, chartInCard(partOf(chart.index, whole, card.place), card));
    zoomed.focus(card.id);
    choose(from);
    if (back.isWhole) flight(from, fit, () => choose(null));
  }, [size.width]);
  useEffect(() => {
    const fits = layout.height * base <= size.height + 1; // else it is moved to its end
    if (camera.scale <= base * 1.001 && !isFit && fits) choose(null);
  }, [camera, base, isFit, choose, layout, size]);

  const pick = useCallback(
    (id: string, label: string) => {
      if (hasMoved.current) return;
      if (id.startsWith("fold:")) toggle(id.slice("fold:".length));
      else filterSteps(filterOf(map, id, label));
    },
    [map, toggle, hasMoved],
  );
  useEffect(() => {
    const timer = setTimeout(loadEngine, LOAD_AFTER_MS); // zooming in needs it, the first picture does not
    return () => clearTimeout(timer);
  }, []);
  const active = layout.cards.find(({ isActive }) => isActive);
  return (
    <div className="chart-frame">
      <MapTools
        scale={camera.scale / base}
        isFit={isFit}
        fit={() => choose(null)}
        zoom={zoom}
        {...(whole && active && { enter: () => enter(active) })}
      />
      <div ref={panel} className="canvas map-canvas" onPointerMove={zoomed.onPointerMove}>
        {size.width > 0 && (
          <svg
            className="map"
            width={Math.floor(size.width)}
            height={Math.floor(size.height)}
            role="group"
            aria-label={t`Map of ${map.agent}`}
          >
            <g transform={`translate(${camera.x} ${camera.y}) scale(${camera.scale})`}>
              <MapPicture
                layout={layout}
                stepNumber={stepNumber}
                picked={filter?.id ?? ""}
                pick={pick}
                enter={enter}
                openRun={openRun}
                depth={zoomed.depth}
              />
            </g>
            {zoomed.card && whole && zoomed.depth > 0 && (
              <ChartLayer
                chart={chart}
                layout={whole}
                camera={through(camera, zoomed.inCard!)}
                frame={zoomed.card}
                outer={camera}
                depth={zoomed.depth}
              />
            )}
          </svg>
        )}
      </div>
    </div>
  );
}

/** The camera belongs to the map as such, whatever is in it. */
const PICTURE = {};
const openRun = (runId: string): void => select({ runId, stepNumber: null });

/** Shows the chart in the place of the map. */
function handOver({ id }: PlacedCard, camera: Camera): void {
  zoomState.into = { card: id, camera, isWhole: false };
  model.set({ view: "chart" });
}

/** The filter of a place: a list of tools, and an edge to one, have the names of their tools. */
function filterOf({ tools, agents }: AgentMap, id: string, label: string): PlaceFilter {
  const isOfAgents = id === "agents" || id === "edge:model>agents" || id === "edge:agents>prompt";
  const names = (isOfAgents ? agents : tools).map(({ name }) => name);
  const hasTools = /^(?:tools|agents|edge:.*(?:tools|agents).*)$/.test(id);
  return { kind: "place", id, label, ...(hasTools && { tools: names }) };
}

/** The lists that are opened; another run begins with folded ones. */
function useOpened(runId: string | null): readonly [ReadonlySet<string>, (key: string) => void] {
  const [opened, setOpened] = useState<{ readonly of: string | null; readonly keys: ReadonlySet<string> }>({
    of: runId,
    keys: NOTHING,
  });
  const toggle = useCallback(
    (key: string) =>
      setOpened(({ of, keys }) => ({
        of: runId,
        keys: of === runId ? toggled(keys, key) : new Set([key]),
      })),
    [runId],
  );
  return [opened.of === runId ? opened.keys : NOTHING, toggle];
}
const NOTHING: ReadonlySet<string> = new Set();
const toggled = (keys: ReadonlySet<string>, key: string): ReadonlySet<string> =>
  keys.has(key) ? new Set([...keys].filter((each) => each !== key)) : new Set([...keys, key]);

/** True once fonts have been loaded: then texts have another width. */
function useFonts(): boolean {
  const [hasFonts, setFonts] = useState(false);
  useEffect(() => {
    let isMounted = true;
    void document.fonts.ready.then(() => {
      measureAgain();
      if (isMounted) setFonts(true);
    });
    return () => void (isMounted = false);
  }, []);
  return hasFonts;
}

type Zoom = {
  readonly layout: MapLayout;
  readonly whole: Layout | null;
  readonly chart: IndexedChart;
  readonly camera: Camera;
  readonly size: Size;
  readonly base: number;
};

/** The card whose states appear while a person zooms in: the one under the pointer, until the map is seen as a whole again. */
function useZoomed({ layout, whole, chart, camera, size, base }: Zoom) {
  const pointer = useRef<{ readonly x: number; readonly y: number } | null>(null);
  const [focused, focus] = useState<string | null>(null);
  const isNear = camera.scale > base * 1.02;
  const at = pointer.current ?? { x: size.width / 2, y: size.height / 2 };
  const seen = cardInView(layout.cards, camera, { width: at.x * 2, height: at.y * 2 });
  const card = isNear ? (layout.cards.find(({ id }) => id === focused) ?? seen) : undefined;
  const inCard = card && whole ? chartInCard(partOf(chart.index, whole, card.place), card) : undefined;
  const depth = inCard ? depthAt(camera.scale / base, { ...inCard, scale: inCard.scale * base }) : 0;
  useEffect(() => {
    if (!isNear && focused !== null) focus(null);
    else if (isNear && focused === null && seen) focus(seen.id);
  }, [isNear, focused, seen]);
  useEffect(() => {
    if (card && inCard && depth >= 1) handOver(card, through(camera, inCard));
  }, [card, inCard, depth, camera]);
  const onPointerMove = ({ clientX, clientY, currentTarget }: PointerEvent): void => {
    const { x, y } = currentTarget.getBoundingClientRect();
    pointer.current = { x: clientX - x, y: clientY - y };
  };
  return { card, inCard, depth, focus, onPointerMove };
}
