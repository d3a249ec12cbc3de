import { Button } from "../parts/button.tsx";
import { model, type ChartFilter, type PlaceFilter } from "../store/model.ts";
import { goLive, goTo, move, filterSteps } from "../store/navigate.ts";
import { pause, play } from "../store/playback.ts";
import { prefer, usePreferences } from "../store/preferences.ts";
import { useModel } from "../store/use-model.ts";
import { shortName } from "../logic/chart-index.ts";
import { StepSearch } from "./step-search.tsx";

const SPEEDS = [1, 2, 4] as const;

/** Steps through the run, or plays it. */
export function Player() {
  const playback = useModel((all) => all.playback);
  const isLive = useModel((all) => all.isLive);
  const stepNumber = useModel((all) => all.stepNumber);
  const last = useModel((all) => Math.max(all.run.last, all.run.total));
  const filter = useModel((all) => all.stepFilter);
  const isEmpty = last === 0;
  const end = useModel((all) => (all.row?.source === "file" ? "End" : "Live"));
  return (
    <div className="player" role="toolbar" aria-label="Playback">
      <Button
        tone="quiet"
        icon="first"
        title="First step (Home)"
        isDisabled={isEmpty}
        onClick={() => goTo(model.run.first)}
      />
      <Button
        tone="quiet"
        icon="back"
        title="Previous step (←)"
        isDisabled={isEmpty}
        onClick={() => move(-1)}
      />
      {playback ? (
        <Button tone="quiet" icon="pause" title="Pause playback (space)" onClick={pause} />
      ) : (
        <Button tone="quiet" icon="play" title="Play (space)" isDisabled={isEmpty} onClick={() => play(1)} />
      )}
      <Button
        tone="quiet"
        icon="forward"
        title="Next step (→)"
        isDisabled={isEmpty}
        onClick={() => move(1)}
      />
      <Button
        tone="quiet"
        icon="last"
        title={end === "Live" ? "Live (End)" : "To the end (End)"}
        isDisabled={isEmpty}
        onClick={goLive}
      />
      <span className="rule" />
      {SPEEDS.map((speed) => (
        <Button
          key={speed}
          tone="quiet"
          label={`${speed}×`}
          isPressed={playback?.speed === speed}
          isDisabled={isEmpty}
          onClick={() => play(speed)}
        />
      ))}
      <Button tone="quiet" label={end} isPressed={isLive && !isEmpty} isDisabled={isEmpty} onClick={goLive} />
      <button
        type="button"
        className="where num"
        title="Go to step (g)"
        disabled={isEmpty}
        onClick={() => model.set({ dialog: { kind: "goTo" } })}
      >
        {stepNumber} <span className="muted">/ {last}</span>
      </button>
      <LowerSwitch />
      <StepSearch />
      <span className="spacer" />
      {filter && filter.kind !== "search" && (
        <button
          type="button"
          className="badge filter"
          title="Show all steps"
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
  return (
    <span className="lower-switch" role="group" aria-label="Below the strip">
      <Button
        tone="quiet"
        label="Steps"
        title="The list of steps (w)"
        isPressed={lower === "steps"}
        onClick={() => prefer({ lower: "steps" })}
      />
      <Button
        tone="quiet"
        label="Waterfall"
        title="What took how long (w)"
        isPressed={lower === "waterfall"}
        onClick={() => prefer({ lower: "waterfall" })}
      />
      {lower === "steps" && (
        <Button
          tone="quiet"
          label="Internals"
          title="Also the steps and states of the engine"
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
      title="In the strip above, widths and heights are logarithms of times. The waterfall is linear."
    >
      {LEGEND.map(([tone, text]) => (
        <span key={tone} data-tone={tone}>
          <i /> {text}
        </span>
      ))}
    </span>
  );
}
