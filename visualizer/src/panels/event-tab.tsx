import { configurationName, shortName, toneOf, type ChartIndex } from "../logic/chart-index.ts";
import { duration } from "../logic/format.ts";
import { choicesOf, eventText, guardText, knownWay } from "../logic/guards.ts";
import { JsonTree } from "../parts/json-tree.tsx";
import { Value } from "../parts/json-value.tsx";
import { Nothing } from "../parts/nothing.tsx";
import { membersOf } from "../logic/json-rows.ts";
import { goTo, narrow } from "../store/navigate.ts";
import { useModel } from "../store/use-model.ts";
import type { ChartEdge, Step } from "../wire/types.ts";
import { enteredAt } from "../diagram/lit.ts";
import { model } from "../store/model.ts";
import { useStep } from "./use-step.ts";

/** What happened at the step, and what did not. */
export function EventTab() {
  const { q, step } = useStep();
  const index = useModel((all) => all.chart?.index);
  if (!step) return <Nothing q={q} />;
  return (
    <div className="event-tab">
      <h3 className="big mono">{eventText(step.e)}</h3>
      {step.e !== "" && eventText(step.e) !== step.e && <p className="muted mono">{step.e}</p>}
      <Times step={step} />
      {index && <Choices index={index} step={step} />}
      <States step={step} index={index} />
      {step.k && step.k.length > 0 && (
        <section>
          <h4>Actions</h4>
          <ol className="list mono">
            {step.k.map((name, place) => (
              <li key={`${name} ${place}`}>{name}</li>
            ))}
          </ol>
        </section>
      )}
      {step.v !== undefined && (
        <section className="payload">
          <h4>Payload</h4>
          {membersOf(step.v).length > 0 ? (
            <JsonTree value={step.v} label="Payload" openDepth={2} />
          ) : (
            <Value value={step.v} />
          )}
        </section>
      )}
    </div>
  );
}

function Times({ step }: { readonly step: Step }) {
  const { run } = model;
  const before = run.durationOf(step.q - 1);
  return (
    <dl className="facts">
      <dt>at</dt>
      <dd className="num">{timeText(step.t)}</dd>
      <dt>since the step before</dt>
      <dd className="num">{duration(before)}</dd>
      <dt>lasted</dt>
      <dd className="num">{duration(run.durationOf(step.q))}</dd>
      <dt>journal</dt>
      <dd className="num">{step.j === undefined || step.j === 0 ? "–" : `entry ${step.j}`}</dd>
    </dl>
  );
}

const pad = (value: number, length = 2): string => String(value).padStart(length, "0");
function timeText(at: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "–";
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  return `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}.${pad(date.getMilliseconds(), 3)}`;
}

const UNKNOWN = {
  whole: undefined,
  part: "These were taken for certain. What else lay on the way the journal does not say.",
  nothing: "Not known: the journal says where the run stood, and more than one way leads here.",
};

/** The edges that were taken, and the guards before them that were false. */
function Choices({ index, step }: { readonly index: ChartIndex; readonly step: Step }) {
  const { run } = model;
  const choices = choicesOf(index, step.x);
  const known = knownWay(index, run.statesAt(step.q - 1), step.x, run.statesAt(step.q));
  const unknown = step.e === "xstate.init" ? undefined : UNKNOWN[known];
  if (choices.length === 0 && unknown === undefined) return null;
  return (
    <section>
      <h4>{choices.length > 1 ? "Transitions" : "Transition"}</h4>
      {choices.map(({ taken, notTaken }) => (
        <div
          key={taken.id}
          className="choice"
          data-tone={toneOf(index, [index.root, taken.source.split(".").slice(0, 2).join(".")])}
        >
          <p className="mono source">{shortName(taken.source)}</p>
          <ul>
            {notTaken.map((edge) => (
              <Branch key={edge.id} edge={edge} text={guardText(edge)} isTaken={false} />
            ))}
            <Branch
              edge={taken}
              text={taken.guard || notTaken.length > 0 ? guardText(taken) : eventText(taken.event)}
              isTaken
            />
          </ul>
        </div>
      ))}
      {unknown !== undefined && (
        <p className="muted" data-testid="way-unknown">
          {unknown}
        </p>
      )}
    </section>
  );
}

type BranchProps = { readonly edge: ChartEdge; readonly text: string; readonly isTaken: boolean };

function Branch({ edge, text, isTaken }: BranchProps) {
  const target = edge.targets.length === 0 ? "stays" : `→ ${edge.targets.map(shortName).join(", ")}`;
  return (
    <li className={isTaken ? "branch is-taken" : "branch"} data-guard={isTaken ? "taken" : "not-taken"}>
      <button type="button" onClick={() => narrow({ kind: "edge", ids: [edge.id] })}>
        <span className="mark">{isTaken ? "✓" : "✕"}</span>
        <span className="mono">{text}</span>
        <span className="mono muted">{target}</span>
        {!isTaken && <em>not taken</em>}
      </button>
      {isTaken && edge.actions.length > 0 && (
        <p className="mono muted">⚡ {edge.actions.map(({ name }) => name).join(", ")}</p>
      )}
    </li>
  );
}

function States({ step, index }: { readonly step: Step; readonly index: ChartIndex | undefined }) {
  const { run } = model;
  const now = run.statesAt(step.q);
  const before = run.statesAt(step.q - 1);
  const left = before.filter((id) => !now.includes(id));
  return (
    <section>
      <h4>States</h4>
      <ul className="list mono">
        {left.map((id) => (
          <li key={id} className="is-left">
            <s>{shortName(id)}</s>
          </li>
        ))}
        {now.slice(1).map((id) => {
          const since = enteredAt(run, step.q, id);
          return (
            <li key={id} data-tone={toneOf(index, now)}>
              <i className="dot" /> {shortName(id)}
              {since < step.q ? (
                <button type="button" className="link" onClick={() => goTo(since)}>
                  since step {since}
                </button>
              ) : (
                <em>entered</em>
              )}
            </li>
          );
        })}
      </ul>
      {now.length === 0 && (
        <p className="muted">{configurationName(now) || "No state is known for this step."}</p>
      )}
    </section>
  );
}
