import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { ErrorBoundary } from "../parts/error-boundary.tsx";
import { model, type ChartFilter, type PlaceFilter } from "../store/model.ts";
import { goLive, goTo, move, filterSteps } from "../store/navigate.ts";
import { pause, play } from "../store/playback.ts";
import { prefer, usePreferences } from "../store/preferences.ts";
import { useModel } from "../store/use-model.ts";
import { shortName } from "../logic/chart-index.ts";
import { Scrubber } from "./scrubber.tsx";
import { StepSearch } from "./step-search.tsx";
import { t } from "../words/t.ts";

const SPEEDS = [1, 2, 4] as const;
type Speed = (typeof SPEEDS)[number];

/** Steps through the run, or plays it. */
export function Player() {
  const playback = useModel((all) => all.playback);
  const isLive = useModel((all) => all.isLive);
  const stepNumber = useModel((all) => all.stepNumber);
  const last = useModel((all) => Math.max(all.run.last, all.run.total));
  const [chosen, choose] = useState<Speed>(1);
  const isEmpty = last === 0;
  const end = useModel((all) => (all.row?.source === "file" ? t("End") : t("Live")));
  return (
    <div className="player" role="toolbar" aria-label={t("Playback")}>
      <Button
        tone="quiet"
        icon="first"
        title={t("First step (Home)")}
        isDisabled={isEmpty}
        onClick={() => goTo(model.run.first)}
      />
      <Button
        tone="quiet"
        icon="back"
        title={t("Previous step (←)")}
        isDisabled={isEmpty}
        onClick={() => move(-1)}
      />
      {playback ? (
        <Button tone="quiet" icon="pause" title={t("Pause playback (space)")} onClick={pause} />
      ) : (
        <Button
          tone="quiet"
          icon="play"
          title={t("Play (space)")}
          isDisabled={isEmpty}
          onClick={() => play(chosen)}
        />
      )}
      <Button
        tone="quiet"
        icon="forward"
        title={t("Next step (→)")}
        isDisabled={isEmpty}
        onClick={() => move(1)}
      />
      <select
        className="input speed"
        aria-label={t("Speed")}
        disabled={isEmpty}
        value={playback?.speed ?? chosen}
        onChange={({ target }) => {
          const speed = Number(target.value) as Speed;
          choose(speed);
          play(speed);
        }}
      >
        {SPEEDS.map((speed) => (
          <option key={speed} value={speed}>
            {speed}×
          </option>
        ))}
      </select>
      <ErrorBoundary what={t("The steps as a band")}>
        <Scrubber />
      </ErrorBoundary>
      <button
        type="button"
        className="where num"
        title={t("Go to step (g)")}
        disabled={isEmpty}
        onClick={() => model.set({ dialog: { kind: "goTo" } })}
      >
        {stepNumber} <span className="muted">/ {last}</span>
      </button>
      <Button
        tone="quiet"
        label={end}
        title={end === t("Live") ? t("Newest step (End)") : t("To the end (End)")}
        isPressed={isLive && !isEmpty}
        isDisabled={isEmpty}
        onClick={goLive}
      />
    </div>
  );
}

/** Chooses what is below it, the list of steps or the waterfall, and which steps are listed. */
export function StepsBar() {
  const filter = useModel((all) => all.stepFilter);
  return (
    <div className="steps-bar">
      <LowerSwitch />
      <StepSearch />
      {filter && filter.kind !== "search" && (
        <button
          type="button"
          className="badge filter"
          title={t("Show all steps")}
          onClick={() => filterSteps(null)}
        >
          {nameOf(filter)} ✕
        </button>
      )}
      <Legend />
    </div>
  );
}

const nameOf = (filter: ChartFilter | PlaceFilter): string =>
  filter.kind === "place"
    ? filter.label
    : filter.kind === "state"
      ? filter.ids.map(shortName).join(", ")
      : "transition";

/** Switches between the list of steps and the waterfall, and between what an agent does and all that its engine does. */
function LowerSwitch() {
  const { lower, internals } = usePreferences();
  const isActor = useModel(({ row }) => row?.actor !== undefined);
  return (
    <span className="lower-switch" role="group" aria-label={t("View of the steps")}>
      <Button
        tone="quiet"
        label={t("Steps")}
        title={t("The list of steps (w)")}
        isPressed={lower === "steps"}
        onClick={() => prefer({ lower: "steps" })}
      />
      <Button
        tone="quiet"
        label={isActor ? t("Sequence") : t("Waterfall")}
        title={isActor ? t("The events between the actors of the system (w)") : t("What took how long (w)")}
        isPressed={lower === "waterfall"}
        onClick={() => prefer({ lower: "waterfall" })}
      />
      {lower === "steps" && !isActor && (
        <Button
          tone="quiet"
          label={t("Internals")}
          title={t("Also the steps and states of the engine")}
          isPressed={internals}
          onClick={() => prefer({ internals: !internals })}
        />
      )}
    </span>
  );
}

const LEGEND = [
  ["red", "failed"],
  ["amber", "waiting"],
  ["slate", "turn"],
] as const;

function Legend() {
  return (
    <span
      className="legend"
      aria-hidden="true"
      title={t(
        "Marks above the steps. There a step is as wide as the logarithm of its time; the waterfall is linear.",
      )}
    >
      {LEGEND.map(([tone, text]) => (
        <span key={tone} data-tone={tone}>
          <i /> {text}
        </span>
      ))}
    </span>
  );
}
