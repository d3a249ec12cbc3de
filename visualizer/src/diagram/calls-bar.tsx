import { useId, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { duration } from "../logic/format.ts";
import {
  callTime,
  countCalls,
  MAX_CALL_BADGES,
  callStateText,
  parallelCalls,
  type ParallelCall,
} from "../logic/parallel-calls.ts";
import { Icon } from "../parts/icon.tsx";
import { onKeys } from "../parts/on-keys.ts";
import { useNow } from "../parts/use-now.ts";
import { useDisplayedStep } from "../store/displayed-step.ts";
import { callStarts } from "../store/run-queries.ts";
import { model } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";
import { t } from "../words/t.ts";

const TONES = { failed: "red", waiting: "amber", running: "cyan", done: "green" } as const;
/** The maximum number of calls that are listed. */
const MAX_ROWS = 200;
/** The keys that scroll the list; elsewhere they move through the steps. */
const SCROLL_KEYS = ["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End", " "];

/** Many parallel calls: a chip below the chart with the number of calls in each state, which opens a list. */
export function CallsBar() {
  const { stepNumber, version } = useDisplayedStep();
  const run = useModel((all) => all.run);
  const calls = useMemo(() => parallelCalls(run.contextAt(stepNumber)), [run, stepNumber, version]);
  const [isOpen, setOpen] = useState(false);
  const chip = useRef<HTMLButtonElement>(null);
  const id = useId();
  if (calls.length <= MAX_CALL_BADGES) return null;
  const close = (): void => {
    setOpen(false);
    chip.current?.focus();
  };
  return (
    <section
      className="calls-bar"
      aria-label={t("Parallel calls")}
      onKeyDown={isOpen ? onKeys({ Escape: close }) : undefined}
    >
      <button
        ref={chip}
        type="button"
        className="calls-chip"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="tool" />
        <strong>
          {calls.length} {t("calls")}
        </strong>
        {countCalls(calls).map(([group, count]) => (
          <span key={group} className="badge" data-tone={TONES[group]} data-count={group}>
            {count} {t(group)}
          </span>
        ))}
        <span className="spacer" />
        <Icon name="right" />
      </button>
      {isOpen && <CallList id={id} calls={calls} stepNumber={stepNumber} version={version} />}
    </section>
  );
}

type ListProps = {
  readonly id: string;
  readonly calls: readonly ParallelCall[];
  readonly stepNumber: number;
  readonly version: number;
};

function CallList({ id, calls, stepNumber, version }: ListProps) {
  const run = useModel((all) => all.run);
  const starts = useMemo(() => callStarts(run, stepNumber), [run, stepNumber, version]);
  const isMoving = useModel((all) => all.isLive && all.isWorking);
  const now = useNow(500, isMoving);
  const displayedAt = isMoving ? now : (model.run.at(stepNumber)?.time ?? now);
  return (
    <div
      id={id}
      className="calls-list"
      role="region"
      aria-label={t("List of parallel calls")}
      tabIndex={0}
      onKeyDown={keepScrollKeys}
    >
      <ul>
        {calls.slice(0, MAX_ROWS).map((call) => (
          <li key={call.index} data-parallel-call={call.id} data-tone={TONES[call.group]}>
            <strong className="mono">{call.name}</strong>
            <span className="mono arguments">{call.arguments}</span>
            {call.attempt > 1 && (
              <span className="muted attempt">
                {t("attempt")} {call.attempt}
              </span>
            )}
            <span className="num time">{duration(callTime(call, starts, displayedAt))}</span>
            <span className="badge">{callStateText(call.state, call.attempt)}</span>
          </li>
        ))}
      </ul>
      {calls.length > MAX_ROWS && (
        <p className="muted">
          {calls.length - MAX_ROWS} {t("more calls are in the conversation.")}
        </p>
      )}
    </div>
  );
}

function keepScrollKeys(event: KeyboardEvent): void {
  if (SCROLL_KEYS.includes(event.key)) event.stopPropagation();
}
