import { memo } from "react";
import { configurationName, toneOf, type ChartIndex } from "../logic/chart-index.ts";
import { compact, duration } from "../logic/format.ts";
import { eventText } from "../logic/guards.ts";
import { isFailure, usageOf } from "../logic/step-notes.ts";
import { titleInList, type StepTitle } from "../logic/step-title.ts";
import { barHeight } from "../logic/scrubber-scale.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { useNow } from "../parts/use-now.ts";
import { fillAround } from "../store/load.ts";
import { model } from "../store/model.ts";
import { goTo } from "../store/navigate.ts";
import type { RunData } from "../store/run-data.ts";
import { useModel } from "../store/use-model.ts";
import { workLog } from "../store/work-log.ts";
import { t } from "../words/t.ts";

type RowProps = {
  /** The run of the step: equal steps of two runs are not the same row. */
  readonly run: RunData;
  readonly stepNumber: number;
  readonly top: number;
  readonly isSelected: boolean;
  /** The number of all rows; −1 leaves it out. */
  readonly count: number;
  readonly place: number;
  readonly start: number;
  /** The chart of the run, once it is loaded. */
  readonly index: ChartIndex | undefined;
  /** Changes for rows that are not complete. */
  readonly version: number;
};

/** A step in the list. */
export const Row = memo(function Row({
  run,
  stepNumber,
  top,
  isSelected,
  count,
  place,
  start,
  index,
}: RowProps) {
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
        {t("step")} {stepNumber} {t("is not loaded:")} <span className="link">{t("load")}</span>
      </div>
    );
  const states = run.statesAt(stepNumber);
  const usage = usageOf(step);
  const name = configurationName(states);
  const inner = name.lastIndexOf(".") + 1;
  const log = workLog(run, index);
  const { title, note, isFailed, took, kind } = titleInList(
    step,
    log.endedAt(stepNumber),
    log.begunAt(stepNumber),
  );
  return (
    <div
      className={isFailed || isFailure(step) ? "line is-failure" : "line"}
      {...option}
      data-step={stepNumber}
      data-tone={toneOf(index, states)}
      onClick={() => goTo(stepNumber)}
    >
      <span className="seq">{stepNumber}</span>
      <span className="time">{clockText(step.elapsed - start)}</span>
      <span className="what" title={[title, note].filter((text) => text !== "").join(": ")}>
        <Icon name={isFailed || isFailure(step) ? "cross" : ICONS[kind]} />
        <span className="title">{title}</span>
        <span className="note">{note}</span>
      </span>
      <span className="state" title={`${eventText(step.event)} → ${name}`}>
        <span className="around">{name.slice(0, inner)}</span>
        <span>{name.slice(inner)}</span>
      </span>
      <span className="tok">{usage && `${compact(usage.inputTokens)}↓ ${compact(usage.outputTokens)}↑`}</span>
      <Took stepNumber={stepNumber} took={took} />
    </div>
  );
});

const ICONS: { readonly [kind in StepTitle["kind"]]: IconName } = {
  model: "model",
  tool: "tool",
  hooks: "link",
  review: "check",
  store: "down",
  person: "user",
  turn: "play",
  wait: "hourglass",
  rest: "clock",
  other: "clock",
};

/** Shows the duration of what the step ended; for the newest step the duration of its state. */
function Took({ stepNumber, took }: { readonly stepNumber: number; readonly took: number | undefined }) {
  const isNewest = useModel((all) => all.run.last === stepNumber && all.isWorking);
  const now = useNow(200, isNewest);
  const ms = took ?? (isNewest ? Math.max(0, now - (model.run.at(stepNumber)?.time ?? now)) : undefined);
  return (
    <>
      <span className="dur">{ms === undefined ? "" : duration(ms)}</span>
      <span className="bar">{ms !== undefined && <i style={{ width: `${barHeight(ms) * 100}%` }} />}</span>
    </>
  );
}

function clockText(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 3_600) return `${seconds.toFixed(2)} s`;
  return `${Math.floor(seconds / 3_600)}:${String(Math.floor(seconds / 60) % 60).padStart(2, "0")}:${((Math.floor(seconds * 10) % 600) / 10).toFixed(1).padStart(4, "0")}`;
}
