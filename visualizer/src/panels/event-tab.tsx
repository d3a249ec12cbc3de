import { configurationName, shortName, toneOf, type ChartIndex } from "../logic/chart-index.ts";
import { duration, localTime } from "../logic/format.ts";
import { eventText, guardText, type Judged } from "../logic/guards.ts";
import { JsonTree } from "../parts/json-tree.tsx";
import { Value } from "../parts/json-value.tsx";
import { MissingStep } from "../parts/missing-step.tsx";
import { membersOf } from "../logic/json-rows.ts";
import { filterSteps, goTo } from "../store/navigate.ts";
import { useModel } from "../store/use-model.ts";
import type { Step } from "../wire/step.ts";
import type { ChartEdge } from "../wire/types.ts";
import { choicesAt, enteredAt } from "../store/run-queries.ts";
import { isFailure } from "../logic/step-notes.ts";
import { titleInList } from "../logic/step-title.ts";
import { workLog } from "../store/work-log.ts";
import { model } from "../store/model.ts";
import { useStep } from "./use-step.ts";
import { t } from "../words/t.ts";

/** The event, the transitions, the states and the payload of the step. */
export function EventTab() {
  const { stepNumber, step } = useStep();
  const index = useModel((all) => all.chart?.index);
  if (!step) return <MissingStep stepNumber={stepNumber} />;
  return (
    <div className="event-tab">
      <WhatHappened step={step} />
      {step.event !== "" && (
        <p className="muted mono" data-testid="event">
          {step.event}
        </p>
      )}
      <Times step={step} />
      {index && <Transitions index={index} step={step} />}
      <States step={step} index={index} />
      {step.actions.length > 0 && (
        <section>
          <h4>{t("Actions")}</h4>
          <ol className="list mono">
            {step.actions.map((name, place) => (
              <li key={`${name} ${place}`}>{name}</li>
            ))}
          </ol>
        </section>
      )}
      {step.payload !== undefined && (
        <section className="payload">
          <h4>{t("Payload")}</h4>
          {membersOf(step.payload).length > 0 ? (
            <JsonTree value={step.payload} label={t("Payload")} openDepth={2} />
          ) : (
            <Value value={step.payload} />
          )}
        </section>
      )}
    </div>
  );
}

/** Shows the event in the words of an agent, with the whole note. */
function WhatHappened({ step }: { readonly step: Step }) {
  const log = workLog(model.run, model.chart?.index);
  const ended = log.endedAt(step.number);
  const { title, note, isFailed } = titleInList(step, ended, log.begunAt(step.number));
  return (
    <>
      <h3 className="big">{title}</h3>
      {note !== "" && (
        <p className="what-note" data-tone={isFailed || isFailure(step) ? "red" : "slate"}>
          {note}
        </p>
      )}
      {ended.some(({ kind }) => kind === "model") && (
        <button type="button" className="link" onClick={() => model.set({ tab: "prompt" })}>
          {t("what the model was sent")}
        </button>
      )}
    </>
  );
}

function Times({ step }: { readonly step: Step }) {
  const { run } = model;
  const before = run.durationOf(step.number - 1);
  const log = workLog(run, model.chart?.index);
  const { took } = titleInList(step, log.endedAt(step.number), log.begunAt(step.number)); // as the list says it
  return (
    <dl className="facts">
      <dt>{t("time")}</dt>
      <dd className="num">{timeText(step.time)}</dd>
      <dt>{t("since previous step")}</dt>
      <dd className="num">{duration(before)}</dd>
      <dt>{t("took")}</dt>
      <dd className="num" data-testid="took">
        {took === undefined ? "–" : duration(took)}
      </dd>
      <dt>{t("journal")}</dt>
      <dd className="num">{step.journalSeq === 0 ? "–" : t`entry ${step.journalSeq}`}</dd>
    </dl>
  );
}

/** The instant of a step, with its day and its milliseconds. */
const timeText = (at: number): string =>
  `${localTime(at, NaN)}.${String(new Date(at).getMilliseconds()).padStart(3, "0")}`;

const INCOMPLETE = {
  full: undefined,
  partial: t("Other edges of this step are not recorded."),
  none: t("The edges are not recorded: another release of agentchart stored this step."),
};

/** Says which edges of a step are not known; undefined if all are. */
function missingEdges({ event, actor }: Step, coverage: keyof typeof INCOMPLETE): string | undefined {
  if (event === "xstate.init") return undefined;
  const isUntold = actor && (actor.u || coverage === "none");
  if (isUntold) return t("Nobody told which transitions were taken here.");
  return actor ? undefined : INCOMPLETE[coverage]; // XState tells all of an event; a path through regions is not one of a single state
}

/** The edges that were taken, and those whose guards were judged beside them. */
function Transitions({ index, step }: { readonly index: ChartIndex; readonly step: Step }) {
  const { edges: taken, actor } = step;
  const { choices, coverage } = choicesAt(model.run, index, step.number);
  const note = missingEdges(step, coverage);
  if (choices.length === 0 && note === undefined) return null;
  const hasGuardsAlone = taken.length === 0 && choices.length > 0;
  return (
    <section>
      <h4>{taken.length === 1 ? t("Transition") : hasGuardsAlone ? t("Guards") : t("Transitions")}</h4>
      {choices.map(({ source, edges, unasked }) => (
        <div
          key={edges.map(({ edge }) => edge.id).join(" ")}
          className="choice"
          data-tone={toneOf(index, [index.root, source.split(".").slice(0, 2).join(".")])}
        >
          <p className="mono source">{shortName(source)}</p>
          <ul>
            {edges.map(({ edge, is }) => (
              <BranchLine
                key={edge.id}
                edge={edge}
                text={edge.guard || edges.length > 1 ? guardText(edge) : eventText(edge.event)}
                is={is}
              />
            ))}
          </ul>
          {unasked > 0 && <p className="muted unasked">{t`${unasked} after it not asked`}</p>}
        </div>
      ))}
      {note !== undefined && (
        <p className="muted" data-testid="edges-not-recorded">
          {note}
        </p>
      )}
      {actor?.w && (
        <p className="muted">
          {t("Two regions went on with events here. XState 6 does not tell whether one preempted the other.")}
        </p>
      )}
    </section>
  );
}

type BranchProps = { readonly edge: ChartEdge; readonly text: string; readonly is: Judged };

const JUDGED = {
  taken: { mark: "✓", word: undefined, guard: "taken" },
  false: { mark: "✕", word: t("not taken"), guard: "not-taken" },
  preempted: { mark: "✓", word: t("held, preempted by another region"), guard: "preempted" },
} as const satisfies { readonly [is in Judged]: object };

function BranchLine({ edge, text, is }: BranchProps) {
  const target = edge.targets.length === 0 ? "internal" : `→ ${edge.targets.map(shortName).join(", ")}`;
  const { mark, word, guard } = JUDGED[is];
  const isTaken = is === "taken";
  return (
    <li className={isTaken ? "branch is-taken" : "branch"} data-guard={guard}>
      <button type="button" onClick={() => filterSteps({ kind: "edge", ids: [edge.id] })}>
        <span className="mark">{mark}</span>
        <span className="mono">{text}</span>
        <span className="mono muted">{target}</span>
        {word !== undefined && <em>{word}</em>}
      </button>
      {isTaken && edge.actions.length > 0 && (
        <p className="mono muted">⚡ {edge.actions.map(({ name }) => name).join(", ")}</p>
      )}
    </li>
  );
}

function States({ step, index }: { readonly step: Step; readonly index: ChartIndex | undefined }) {
  const { run } = model;
  const now = run.statesAt(step.number);
  const before = run.statesAt(step.number - 1);
  const left = before.filter((id) => !now.includes(id));
  return (
    <section>
      <h4>{t("States")}</h4>
      <ul className="list mono">
        {left.map((id) => (
          <li key={id} className="is-left">
            <s>{shortName(id)}</s>
          </li>
        ))}
        {now.slice(1).map((id) => {
          const since = enteredAt(run, index, step.number, id);
          return (
            <li key={id} data-tone={toneOf(index, now)}>
              <i className="dot" /> {shortName(id)}
              {since < step.number ? (
                <button type="button" className="link" onClick={() => goTo(since)}>
                  {t("since step")} {since}
                </button>
              ) : (
                <em>{t("entered")}</em>
              )}
            </li>
          );
        })}
      </ul>
      {now.length === 0 && (
        <p className="muted">{configurationName(now) || t("The states of this step are unknown.")}</p>
      )}
    </section>
  );
}
