import { Button } from "../parts/button.tsx";
import { isAgentChart } from "../map/places.ts";
import { model, type Model, type View } from "../store/model.ts";
import { prefer } from "../store/preferences.ts";
import { useModel } from "../store/use-model.ts";
import { t } from "../words/t.ts";

/** The picture that is displayed: the wanted one, if the chart can be drawn so. */
export function shownView({ view, chart }: Pick<Model, "view" | "chart">): View {
  if (!chart) return view;
  if (view === "map") return isAgentChart(chart.index) ? "map" : chart.layouts ? "chart" : "outline";
  return chart.layouts ? view : "outline";
}

/** Shows another picture of the agent, now and in other runs. */
export function showView(view: View): void {
  model.set({ view });
  prefer({ view });
}

/** Switches between the map, the whole chart of the engine, and its outline. */
export function ViewSwitch() {
  const view = useModel(shownView);
  const hasLayout = useModel(({ chart }) => chart?.layouts != null);
  const hasMap = useModel(({ chart }) => chart !== undefined && isAgentChart(chart.index));
  return (
    <span className="view-switch" role="group" aria-label={t("Picture")}>
      {hasMap && (
        <Button
          tone="quiet"
          icon="map"
          label={t("Map")}
          title={t("The agent (m)")}
          isPressed={view === "map"}
          onClick={() => showView("map")}
        />
      )}
      <Button
        tone="quiet"
        icon="chart"
        label={t("Engine")}
        title={hasLayout ? t("The whole statechart (m)") : t("The layout of this chart took too long")}
        isPressed={view === "chart"}
        isDisabled={!hasLayout}
        onClick={() => showView("chart")}
      />
      <Button
        tone="quiet"
        icon="outline"
        title={t("Outline (o)")}
        isPressed={view === "outline"}
        onClick={() => showView("outline")}
      />
    </span>
  );
}
