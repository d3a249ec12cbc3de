import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { betterLayout, type Size } from "../diagram/camera.ts";
import { layOutWhole } from "../map/map-layout.ts";
import { MapPicture } from "../map/map-picture.tsx";
import { useAgentMap } from "../map/use-agent-map.ts";
import { usePreferences } from "../store/preferences.ts";
import { model, type IndexedChart } from "../store/model.ts";
import { takenEdges, visitsOf } from "../store/run-queries.ts";
import { displayedPicture, PIXELS_PER_UNIT } from "./picture.ts";
import { t } from "../words/t.ts";

type Engine = typeof import("../diagram/engine.tsx");

/** The shape that the picture of a chart has if it may choose one. */
const PAGE: Size = { width: 1_600, height: 1_000 };

const ignore = (): void => undefined;

/** The map with all its rows, none of them folded. */
function WholeMap({ chart }: { readonly chart: IndexedChart }) {
  const { map, stepNumber } = useAgentMap(chart);
  const none = { picked: "", pick: ignore, enter: ignore, openRun: ignore };
  return (
    <svg className="map">
      <g>
        <MapPicture layout={layOutWhole(map)} stepNumber={stepNumber} depth={0} {...none} />
      </g>
    </svg>
  );
}

/** The chart with the names of all its states, and what is in them. */
function WholeChart({ chart, engine }: { readonly chart: IndexedChart; readonly engine: Engine }) {
  const { visits: wantsVisits } = usePreferences();
  const { run, stepNumber } = model;
  const { portrait, landscape } = chart.layouts!;
  return (
    <svg className="chart">
      <g>
        <engine.ChartPicture
          layout={betterLayout(portrait, landscape, PAGE)}
          index={chart.index}
          active={run.statesAt(stepNumber)}
          taken={takenEdges(run, stepNumber)}
          animationKey={undefined}
          filter={null}
          visits={wantsVisits ? visitsOf(run) : undefined}
          scale={PIXELS_PER_UNIT}
          isOverview={false}
        />
      </g>
    </svg>
  );
}

/**
 * Draws the displayed map or chart once more, at a size at which it has all its names, and returns what is made of it. On the screen names
 * without room are left out until a person zooms in; who gets a picture zooms later.
 */
export async function ofWholePicture<Made>(make: (picture: SVGSVGElement) => Promise<Made>): Promise<Made> {
  const { chart } = model;
  const displayed = displayedPicture();
  if (!chart?.layouts || !displayed) throw new Error(t("There is no picture of this run."));
  const engine = displayed.matches(".map") ? undefined : await import("../diagram/engine.tsx");
  const host = document.createElement("div");
  host.inert = true;
  Object.assign(host.style, { position: "fixed", left: "200vw", top: "0" });
  displayed.closest(".chart-pane")!.append(host);
  const root = createRoot(host);
  try {
    flushSync(() =>
      root.render(engine ? <WholeChart chart={chart} engine={engine} /> : <WholeMap chart={chart} />),
    );
    return await make(host.querySelector("svg")!);
  } finally {
    root.unmount();
    host.remove();
  }
}
