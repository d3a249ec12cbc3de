import { useState, type FormEvent } from "react";
import { compact } from "../logic/format.ts";
import {
  isSet,
  QUICK_FILTERS,
  readViews,
  toggled,
  withView,
  type SavedView,
} from "../logic/quick-filters.ts";
import { NO_FILTER } from "../logic/run-filter.ts";
import { useCounts } from "../store/counts.ts";
import { filterRuns, searchRuns } from "../store/load.ts";
import { prefer, preferences, usePreferences } from "../store/preferences.ts";
import { useModel } from "../store/use-model.ts";
import { t } from "../words/t.ts";

/** The filters that one click sets, with how many runs pass them, and the views that a person has saved. */
export function RunViews() {
  const filter = useModel((all) => all.filter);
  const search = useModel((all) => all.search);
  const counts = useCounts();
  const views = readViews(usePreferences().views);
  const isShown = (view: SavedView): boolean => view.search === search && isSet(filter, view.filter);
  const isFiltered = search.trim() !== "" || !isSet(filter, NO_FILTER);
  return (
    <div className="chips quick-filters" role="group" aria-label={t("Quick filters")}>
      {QUICK_FILTERS.map(({ name, change }) => (
        <button
          key={name}
          type="button"
          className="quick"
          aria-pressed={isSet(filter, change)}
          onClick={() => filterRuns(toggled(filter, change))}
        >
          {t(name)} {counts[name] !== undefined && <span className="num">{compact(counts[name])}</span>}
        </button>
      ))}
      {views.map((view) => (
        <span key={view.name} className="saved-view">
          <button
            type="button"
            className="quick"
            aria-pressed={isShown(view)}
            onClick={() => {
              searchRuns(view.search);
              filterRuns(view.filter);
            }}
          >
            {view.name}
          </button>
          <button
            type="button"
            className="quick"
            aria-label={t`Remove the view ${view.name}`}
            onClick={() => prefer({ views: views.filter(({ name }) => name !== view.name) })}
          >
            <span aria-hidden="true">×</span>
          </button>
        </span>
      ))}
      {isFiltered && !views.some(isShown) && <SaveView />}
    </div>
  );
}

/** Gives the filter that is set a name. */
function SaveView() {
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState("");
  const filter = useModel((all) => all.filter);
  const search = useModel((all) => all.search);
  if (!isOpen)
    return (
      <button type="button" className="quick" onClick={() => setOpen(true)}>
        {t("Save view")}
      </button>
    );
  const save = (event: FormEvent): void => {
    event.preventDefault();
    prefer({ views: withView(readViews(preferences().views), { name, search, filter }) });
    setName("");
    setOpen(false);
  };
  return (
    <form className="save-view" onSubmit={save} onKeyDown={({ key }) => key === "Escape" && setOpen(false)}>
      <input
        className="input"
        aria-label={t("Name of the view")}
        autoFocus
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <button type="submit" className="button" disabled={name.trim() === ""}>
        {t("Save")}
      </button>
    </form>
  );
}
