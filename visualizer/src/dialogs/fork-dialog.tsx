import { useEffect, useMemo, useState } from "react";
import { changesOf, editablesOf, type Edit, type Editable } from "../logic/fork-edits.ts";
import { positionAfter } from "../logic/fork-place.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { client } from "../store/client.ts";
import { sendCommand } from "../store/commands.ts";
import { model } from "../store/model.ts";
import { compareRuns, select } from "../store/navigate.ts";
import { notify } from "../store/notices.ts";
import { useModel } from "../store/use-model.ts";
import type { ForkPlace, ForkPlan } from "../wire/types.ts";
import { EditField } from "./edit-field.tsx";
import { Frame } from "./frame.tsx";
import { t } from "../words/t.ts";

/** The maximum number of forks that may run at once. */
const MAX_TIMES = 20;

type Props = {
  readonly stepNumber: number;
  /** The part that is edited at first, see {@link Editable.key}. */
  readonly edited?: string;
  /** The exact position at which the fork begins; default: after the step. */
  readonly at?: ForkPlace;
};

/** Forks the run after a step, with changes of anything, and runs the forks. */
export default function ForkDialog({ stepNumber, edited, at }: Props) {
  const after = useModel((all) => positionAfter(all.run, all.row, stepNumber));
  const { plan, problem: planProblem, seq = at ? 0 : after } = usePlan(after, at);
  const choices = useMemo(
    () => editablesOf(model.run.contextAt(stepNumber), plan?.agent),
    [stepNumber, plan],
  );
  const [edits, setEdits] = useState<readonly Edit[]>([]);
  const [times, setTimes] = useState(1);
  const [starts, setStarts] = useState(true);
  const isIdle = plan !== undefined && !plan.agent;
  const runs = starts && !isIdle;
  const [isSent, setSent] = useState(false);
  const [problem, setProblem] = useState<string>();
  const add = (key: string): void => {
    const found = choices.find((each) => each.key === key);
    if (found) void whole(found).then((each) => setEdits((all) => [...without(all, key), each]));
  };
  useEffect(() => {
    if (edited !== undefined && plan) add(edited);
  }, [edited, plan]);
  const fork = async (): Promise<void> => {
    const made = changesOf(edits);
    if ("problem" in made) return setProblem(made.problem);
    setSent(true);
    const { changes } = made;
    const hasChanges = Object.keys(changes).length > 0;
    const ack = await sendCommand({
      type: "fork",
      seq,
      ...(hasChanges && { changes }),
      ...(times > 1 && { times }),
      start: runs,
    });
    setSent(false);
    if (!ack.ok) return setProblem(ack.error?.message);
    const original = model.selection.runId!;
    const { sessionIds } = ack.data ?? {};
    const forks = Array.isArray(sessionIds) ? sessionIds.map(String) : [];
    model.set({ dialog: null });
    notify(
      "good",
      t`${forks.length > 1 ? t`${forks.length} forks` : t("Fork")} created. The original is unchanged.`,
    );
    if (forks.length > 1) compareRuns([original, ...forks]);
    else if (forks[0] !== undefined) select({ runId: forks[0], stepNumber: null });
  };
  const left = choices.filter(({ key }) => !edits.some((edit) => edit.key === key));
  return (
    <Frame title={t`Edit and run again from step ${stepNumber}`}>
      <form
        data-testid="fork"
        onSubmit={(event) => {
          event.preventDefault();
          void fork();
        }}
      >
        <h2>
          <Icon name="fork" /> {t("Edit and run again from step")} {stepNumber}
        </h2>
        <p className="muted">
          {t(
            "Begins a new run with everything up to this step, and your changes. The original run does not change.",
          )}
        </p>
        {after === 0 && !at ? (
          <p className="error">{t("This step is not in a journal: only runs with a store can be forked.")}</p>
        ) : (
          <WillRun plan={plan?.willRun} />
        )}
        {runs && plan?.agent && <RunsLive acting={plan.agent.acting} />}
        {edits.map((edit) => (
          <EditField
            key={edit.key}
            edit={edit}
            plan={plan}
            onChange={(now) =>
              setEdits(edits.map((each) => (each.key === edit.key ? { ...each, now } : each)))
            }
            onRemove={() => setEdits(without(edits, edit.key))}
          />
        ))}
        {left.length > 0 && (
          <label>
            {t("Add a change")}
            <select className="input" value="" onChange={({ target }) => add(target.value)}>
              <option value="">{t("choose what to change")}</option>
              {left.map(({ key, label }) => (
                <option key={key} value={key}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        )}
        <label className="check">
          <input
            type="checkbox"
            checked={runs}
            disabled={isIdle}
            onChange={({ target }) => setStarts(target.checked)}
          />{" "}
          {t("Start it immediately")}
          {isIdle && t(": no process is connected that could run it")}
        </label>
        <label className="times">
          {t("How many times")}
          <input
            className="input num"
            type="number"
            min={1}
            max={MAX_TIMES}
            value={times}
            onChange={({ target }) =>
              setTimes(Math.min(MAX_TIMES, Math.max(1, Math.round(Number(target.value)) || 1)))
            }
          />
        </label>
        {(problem ?? planProblem) !== undefined && (
          <p className="error" role="alert">
            {problem ?? planProblem}
          </p>
        )}
        <footer>
          <Button tone="quiet" label={t("Cancel")} onClick={() => model.set({ dialog: null })} />
          <Button
            type="submit"
            icon="fork"
            label={runs ? t("Fork and run") : t("Fork")}
            isDisabled={seq === 0 || isSent}
          />
        </footer>
      </form>
    </Frame>
  );
}

const without = (edits: readonly Edit[], key: string): readonly Edit[] =>
  edits.filter((each) => each.key !== key);

/** Something as it is edited, with its whole text. */
async function whole(part: Editable): Promise<Edit> {
  const { runId } = model.selection;
  if (part.blob === undefined || runId === null || !client.api) return { ...part, now: part.value };
  try {
    const value = await client.api.blob(runId, part.blob);
    return { ...part, value, now: value };
  } catch (error) {
    notify("bad", (error as Error).message);
    return { ...part, now: part.value };
  }
}

type PlanAnswer = { readonly plan?: ForkPlan; readonly seq?: number; readonly problem?: string | undefined };

/** Returns the description of a possible fork, and its position, once the server has said it. */
function usePlan(after: number, at: ForkPlace | undefined): PlanAnswer {
  const [answer, setAnswer] = useState<PlanAnswer>({});
  useEffect(() => {
    if (after === 0 && !at) return;
    let isMounted = true;
    void sendCommand({ type: "forkPlan", seq: after, ...(at && { at }) }).then(({ ok, data, seq, error }) => {
      if (!isMounted) return;
      if (!ok) return setAnswer({ problem: error?.message });
      const plan = data as unknown as ForkPlan | undefined;
      const willRun = Array.isArray(plan?.willRun) ? plan.willRun.map(String) : [];
      setAnswer({ plan: { ...plan, willRun }, ...(at && seq !== undefined && { seq }) });
    });
    return () => {
      isMounted = false;
    };
  }, [after, at]);
  return answer;
}

/** Says that a fork repeats nothing that was recorded, and which tools act when it calls them. */
function RunsLive({ acting }: { readonly acting: readonly string[] | undefined }) {
  return (
    <p className="note" data-testid="runs-live">
      {t("From here on the model is asked and tools really run; no recorded answer or result is repeated.")}{" "}
      {acting === undefined
        ? t("Which of them act each time is not known.")
        : acting.length === 0
          ? t("All of them may run again without harm (idempotent).")
          : t`Act each time they run: ${acting.join(", ")}.`}
    </p>
  );
}

function WillRun({ plan }: { readonly plan: readonly string[] | undefined }) {
  if (!plan) return <p className="note">{t("Checking which calls run again …")}</p>;
  if (plan.length === 0) return <p className="note">{t("No earlier call runs again.")}</p>;
  return (
    <div className="will-run" data-testid="will-run">
      <p>
        <Icon name="warn" /> {t("These calls may run again in the fork:")}
      </p>
      <ul className="mono">
        {plan.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
    </div>
  );
}
