import { Button } from "../parts/button.tsx";
import { model } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";

/** Chart or outline; without a layout there is only the outline. */
export function ViewSwitch() {
  const view = useModel((all) => (all.chart?.layouts ? all.view : "outline"));
  const hasLayout = useModel(({ chart }) => chart?.layouts != null);
  return (
    <>
      <Button
        tone="quiet"
        icon="chart"
        title={hasLayout ? "Chart (o)" : "This chart could not be laid out in time"}
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
