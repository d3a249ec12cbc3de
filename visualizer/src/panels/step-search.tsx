import { SearchField } from "../parts/search-field.tsx";
import { model } from "../store/model.ts";
import { move, searchSteps } from "../store/navigate.ts";
import { prefer } from "../store/preferences.ts";
import { STEP_SORTS, type StepQuery, type StepSort } from "../store/step-search.ts";
import { useModel } from "../store/use-model.ts";
import { t } from "../words/t.ts";

const NOTHING: StepQuery = { kind: "search", text: "", sort: "" };

/** Finds steps of the run by words and by what they are about. */
export function StepSearch() {
  const filter = useModel((all) => all.stepFilter);
  const query = filter?.kind === "search" ? filter : NOTHING;
  const change = (changed: Partial<StepQuery>): void => {
    searchSteps({ ...query, ...changed });
    prefer({ lower: "steps" });
  };
  return (
    <span className="step-search" role="search" aria-label={t("Steps")}>
      <SearchField
        id="find-step"
        label={t("Find a step")}
        title={t(
          "Words of what happened, of arguments, results and messages, or the name of an event or state (s)",
        )}
        value={query.text}
        disabled={model.selection.runId === null}
        onChange={(text) => change({ text })}
        onKeyDown={(event) => {
          if (event.key === "Enter") move(event.shiftKey ? -1 : 1);
          if (event.key === "Escape") change(NOTHING);
        }}
      />
      <select
        className="input"
        aria-label={t("Filter steps")}
        value={query.sort}
        onChange={({ target }) => change({ sort: target.value as StepSort | "" })}
      >
        <option value="">{t("all steps")}</option>
        {Object.entries(STEP_SORTS).map(([sort, name]) => (
          <option key={sort} value={sort}>
            {t(name)}
          </option>
        ))}
      </select>
    </span>
  );
}
