import { memo } from "react";
import { configurationName, toneOf } from "../logic/chart-index.ts";
import { compact, duration } from "../logic/format.ts";
import { eventText } from "../logic/guards.ts";
import { isFailure, noteOf, usageOf } from "../logic/step-notes.ts";
import { barHeight } from "../logic/strip-scale.ts";
import { useNow } from "../parts/use-now.ts";
import { fillAround } from "../store/load.ts";
import { model } from "../store/model.ts";
import { goTo } from "../store/navigate.ts";
import { useModel } from "../store/use-model.ts";

type RowProps = {
  readonly stepNumber: number;
  readonly top: number;
  readonly isSelected: boolean;
  /** The number of all rows; −1 leaves it out. */
  readonly count: number;
  readonly place: number;
  readonly start: number;
  /** Changes for rows that are not complete. */
  readonly version: number;
};

/** A step in the list. */
export const Row = memo(function Row({ stepNumber, top, isSelected, count, place, start }: RowProps) {
  const { run } = model;
  const step = run.at(stepNumber);
  const option = {
    style: { top },
    id: `step-${stepNumber}`,
    role: "option",
    "aria-selected": isSelected,
    "aria-setsize": count,
    "aria-posinset": place,
  } as const;
  if (!step)
    return (
      <div className="line is-gap" {...option} onClick={() => void fillAround(stepNumber)}>
        step {stepNumber} is not loaded: <span className="link">load</span>
      </div>
    );
  const states = run.statesAt(stepNumber);
  const usage = usageOf(step);
  const name = configurationName(states);
  const inner = name.lastIndexOf(".") + 1;
  return (
    <div
      className={isFailure(step) ? "line is-failure" : "line"}
      {...option}
      data-step={stepNumber}
      data-tone={toneOf(model.chart?.index, states)}
      onClick={() => goTo(stepNumber)}
    >
      <span className="seq">{stepNumber}</span>
      <span className="time">{clockText(step.elapsed - start)}</span>
      <span className="event" title={step.event}>
        <i className="dot" />
        <span>{eventText(step.event)}</span>
      </span>
      <span className="state" title={name}>
        <i>→</i>
        <span className="around">{name.slice(0, inner)}</span>
        <span>{name.slice(inner)}</span>
      </span>
      <span className="note" title={noteOf(step)}>
        {noteOf(step)}
      </span>
      <span className="tok">{usage && `${compact(usage.inputTokens)}↓ ${compact(usage.outputTokens)}↑`}</span>
      <Duration stepNumber={stepNumber} />
    </div>
  );
});

function Duration({ stepNumber }: { readonly stepNumber: number }) {
  const known = model.run.durationOf(stepNumber);
  const isWorking = useModel((all) => all.isWorking);
  const isRunning = known === undefined && isWorking;
  const now = useNow(200, isRunning);
  const ms = known ?? (isRunning ? Math.max(0, now - (model.run.at(stepNumber)?.time ?? now)) : undefined);
  return (
    <>
      <span className="dur">{duration(ms)}</span>
      <span className="bar">{ms !== undefined && <i style={{ width: `${barHeight(ms) * 100}%` }} />}</span>
    </>
  );
}

function clockText(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 3_600) return `${seconds.toFixed(2)} s`;
  return `${Math.floor(seconds / 3_600)}:${String(Math.floor(seconds / 60) % 60).padStart(2, "0")}:${(seconds % 60).toFixed(1).padStart(4, "0")}`;
}
