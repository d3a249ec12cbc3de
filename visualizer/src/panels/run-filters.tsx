import { useEffect, useState } from "react";
import { compact } from "../logic/format.ts";
import { chipsOf, HOURS, type ListFilter } from "../logic/run-filter.ts";
import { withoutQuick } from "../logic/quick-filters.ts";
import { GROUP_NAMES } from "../logic/run-groups.ts";
import { isObject } from "../../../src/core/base/json.ts";
import { ANY_SUSPICION, OUTCOME_NAMES, RUN_GROUPS, type Json, type RunGroup } from "../wire/types.ts";
import { Icon } from "../parts/icon.tsx";
import { SearchField } from "../parts/search-field.tsx";
import { clearFilters, filterRuns, searchRuns } from "../store/load.ts";
import { model } from "../store/model.ts";
import { showMany } from "../store/navigate.ts";
import { useChecks } from "../store/suspicions.ts";
import { useModel } from "../store/use-model.ts";
import { toggleChosen } from "./compare-choice.tsx";
import { RunViews } from "./run-views.tsx";
import { OpenFile } from "./open-file.tsx";
import { labelled } from "../words/said.ts";
import { t } from "../words/t.ts";

/** The search field and the filters of the list of runs. */
export function Filters() {
  const search = useModel((all) => all.search);
  const [isOpen, setIsOpen] = useState(false);
  const group = useModel((all) => all.group);
  const filter = useModel((all) => all.filter);
  const unindexed = useModel((all) => all.unindexed);
  const isChoosing = useModel((all) => all.chosen !== null);
  const hasList = useModel((all) => all.many === null); // its groups, and what one does with its runs, are for it only
  const chips = chipsOf(filter);
  const others = withoutQuick(chips, filter); // a quick filter that is pressed says so itself
  return (
    <div className="filters" role="search">
      <div className="choose">
        <SearchField
          id="find-run"
          label={t("Find a run")}
          title={t("Words of its title, messages, calls and results, its agent or its id")}
          value={search}
          shortcut="/"
          onChange={searchRuns}
        />
        {hasList && (
          <>
            <button
              type="button"
              className="button"
              aria-label={t("Overview of these runs")}
              title={t("Sum up the runs that the filter finds")}
              onClick={() => showMany("overview")}
            >
              <Icon name="count" />
            </button>
            <button
              type="button"
              className="button"
              aria-pressed={isChoosing}
              aria-label={t("Compare runs")}
              title={t("Choose runs of the list to compare them")}
              onClick={() => (isChoosing ? model.set({ chosen: null }) : toggleChosen())}
            >
              <Icon name="compare" />
            </button>
          </>
        )}
      </div>
      <div className="choose">
        {hasList && (
          <select
            className="input"
            aria-label={t("Filter runs")}
            value={group}
            onChange={(event) => model.set({ group: event.target.value as RunGroup | "all" })}
          >
            <option value="all">{t("all runs")}</option>
            {RUN_GROUPS.map((each) => (
              <option key={each} value={each}>
                {GROUP_NAMES[each]}
              </option>
            ))}
          </select>
        )}
        <button
          type="button"
          className="button"
          aria-expanded={isOpen}
          aria-controls="run-filter"
          onClick={() => setIsOpen(!isOpen)}
        >
          {t("Filters")}
          {chips.length > 0 && ` (${chips.length})`}
        </button>
      </div>
      <RunViews />
      {isOpen && <Fields filter={filter} />}
      {others.length > 0 && (
        <div className="chips" role="group" aria-label={t("Active filters")}>
          {others.map(({ key, text: label }) => (
            <button
              key={key}
              type="button"
              className="chip"
              aria-label={t`Remove the filter ${label}`}
              onClick={() => filterRuns({ [key]: typeof filter[key] === "number" ? 0 : "" })}
            >
              {label} <span aria-hidden="true">×</span>
            </button>
          ))}
        </div>
      )}
      {unindexed > 0 && (
        <p className="indexing" role="status">
          {compact(unindexed)} {t("stored runs are being indexed …")}
        </p>
      )}
    </div>
  );
}

function Fields({ filter }: { readonly filter: ListFilter }) {
  const rows = useModel((all) => all.rows);
  const checks = useChecks();
  const offered = useModel(({ run }) => run.contextAt(run.last)?.["modelCall"]);
  const agents = Map.groupBy([...rows.values()], ({ agent }) => agent);
  const names = [...new Set([...agents.keys(), filter.agent])].filter(Boolean).toSorted();
  return (
    <div className="fields" id="run-filter">
      <label>
        {t("outcome")}
        <select
          className="input"
          value={filter.outcome}
          onChange={(event) => filterRuns({ outcome: event.target.value as ListFilter["outcome"] })}
        >
          <option value="">{t("any")}</option>
          {OUTCOME_NAMES.map((name) => (
            <option key={name} value={name}>
              {t(name)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t("changed")}
        <select
          className="input"
          value={filter.hours}
          onChange={(event) => filterRuns({ hours: Number(event.target.value) })}
        >
          <option value={0}>{t("any time")}</option>
          {HOURS.map(([hours, name]) => (
            <option key={hours} value={hours}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t("suspicion")}
        <select
          className="input"
          aria-label={t("suspicion")}
          value={filter.suspicion}
          onChange={(event) => filterRuns({ suspicion: event.target.value })}
        >
          <option value="">{t("any")}</option>
          <option value={ANY_SUSPICION}>{t("at least one")}</option>
          {checks.map(({ name, title }) => (
            <option key={name} value={name}>
              {labelled(title)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t("label")}
        <select
          className="input"
          aria-label={t("label")}
          value={filter.label}
          onChange={(event) => filterRuns({ label: event.target.value })}
        >
          <option value="">{t("any")}</option>
          <option value="right">{t("right")}</option>
          <option value="wrong">{t("wrong")}</option>
        </select>
      </label>
      <label>
        {t("agent")}
        <select
          className="input"
          aria-label={t("agent")}
          value={filter.agent}
          onChange={(event) => filterRuns({ agent: event.target.value })}
        >
          <option value="">{t("any")}</option>
          {names.map((name) => (
            <option key={name} value={name}>
              {name} ({agents.get(name)?.length ?? 0})
            </option>
          ))}
        </select>
      </label>
      <Text
        label={t("tool")}
        value={filter.tool}
        list={namesOf(offered)}
        onChange={(tool) => filterRuns({ tool })}
      />
      <label>
        {t("cost at least")}
        <input
          className="input"
          type="number"
          min={0}
          step="any"
          defaultValue={filter.minCost || ""}
          key={filter.minCost === 0 ? "none" : "some"}
          onChange={(event) => filterRuns({ minCost: Math.max(0, Number(event.target.value) || 0) })}
        />
      </label>
    </div>
  );
}

/** The names of the tools of a request to a model. */
const namesOf = (request: Json | undefined): readonly string[] =>
  isObject(request) && Array.isArray(request["tools"])
    ? request["tools"].flatMap((tool) => (isObject(tool) ? [String(tool["name"])] : []))
    : [];

type TextProps = {
  readonly label: string;
  readonly value: string;
  readonly list?: readonly string[];
  readonly onChange: (value: string) => void;
};

/** A field for the exact name of something. */
function Text({ label, value, list = [], onChange }: TextProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const id = `${label}-names`;
  return (
    <label>
      {t(label)}
      <input
        className="input"
        list={id}
        placeholder={t("any")}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          onChange(event.target.value.trim());
        }}
      />
      <datalist id={id}>
        {list.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  );
}

/** Says that no run matches, what was searched for, and how to see all runs again. */
export function NoRuns() {
  const search = useModel((all) => all.search);
  const filter = useModel((all) => all.filter);
  const group = useModel((all) => all.group);
  const worker = useModel((all) => all.worker);
  const isAsking = useModel((all) => all.isAsking);
  const wanted = [
    ...(search.trim() === "" ? [] : [`“${search.trim()}”`]),
    ...(group === "all" ? [] : [GROUP_NAMES[group]]),
    ...chipsOf(filter).map(({ text }) => text),
    ...(worker === null ? [] : [t("one process")]),
  ];
  if (wanted.length === 0) return null;
  if (isAsking) return <p className="placeholder">{t("Loading …")}</p>;
  return (
    <div className="placeholder" data-testid="no-runs" role="status">
      <p>
        {t("No run matches")} {wanted.join(", ")}
        {t(". Titles, agents, ids, messages, calls and results were searched.")}
      </p>
      <button type="button" className="button" onClick={clearFilters}>
        {t("Show all runs")}
      </button>
    </div>
  );
}

/** The state of the connection, and the button that opens a file. */
export function Foot() {
  const { up } = useModel((all) => all.workers);
  const isConnected = useModel((all) => all.isConnected);
  const tone = isConnected ? (up > 0 ? "green" : "slate") : "red";
  return (
    <footer className="foot">
      <span data-testid="connection" data-tone={tone}>
        <i className="dot" data-tone={tone} />{" "}
        {isConnected ? t`${up} ${up === 1 ? t("process") : t("processes")} connected` : t("not connected")}
      </span>
      <OpenFile label={t("Open a file")} />
    </footer>
  );
}
