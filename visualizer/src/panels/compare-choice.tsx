import { Button } from "../parts/button.tsx";
import { model } from "../store/model.ts";
import { compareRuns } from "../store/navigate.ts";
import { useModel } from "../store/use-model.ts";
import { t } from "../words/t.ts";

/** While runs are chosen in the list: how many, and the button that compares them. */
export function CompareChoice() {
  const chosen = useModel((all) => all.chosen);
  if (!chosen) return null;
  const text = chosen.size === 0 ? t("Choose the runs to compare") : t`${chosen.size} chosen`;
  return (
    <div className="choice-bar" role="group" aria-label={t("Compare runs")}>
      <span role="status">{text}</span>
      <span className="spacer" />
      <Button label={t("Compare")} isDisabled={chosen.size < 2} onClick={() => compareRuns([...chosen])} />
      <Button tone="quiet" label={t("Cancel")} onClick={() => model.set({ chosen: null })} />
    </div>
  );
}

/** Begins to choose runs, and adds or removes one. */
export function toggleChosen(runId?: string): void {
  const chosen = new Set(model.chosen);
  if (runId !== undefined && !chosen.delete(runId)) chosen.add(runId);
  model.set({ chosen });
}
