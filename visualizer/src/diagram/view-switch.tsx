import { Button } from "../parts/button.tsx";
import { model } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";

/** Switches between chart and outline; a chart without a layout has the outline only. */
export function ViewSwitch() {
  const view = useModel((all) => (all.chart?.layouts ? all.view : "outline"));
  const hasLayout = useModel(({ chart }) => chart?.layouts != null);
  return (
    <>
      <Button
        tone="quiet"
        icon="chart"
        title={hasLayout ? "Chart (o)" : "The layout of this chart took too long"}
        isPressed={view === "chart"}
        isDisabled={!hasLayout}
        onClick={() => model.set({ view: "chart" })}
      />
      <Button
        tone="quiet"
        icon="outline"
        title="Outline (o)"
        isPressed={view === "outline"}
        onClick={() => model.set({ view: "outline" })}
      />
    </>
  );
}
