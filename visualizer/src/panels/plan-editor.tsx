import { useState } from "react";
import { withSubtasks } from "../../../src/kit/plan/subtasks.ts";
import { emptySubtask, inState, planProblem, STATE_NAMES } from "../logic/plan.ts";
import { Button } from "../parts/button.tsx";
import { refusalText, sendAndNotify } from "../store/commands.ts";
import type { Json, Plan, Subtask } from "../wire/types.ts";
import { t } from "../words/t.ts";

type Seen = { readonly plan: Plan; readonly revision: number };
type Props = Seen & {
  /** The plan of the displayed step, which may have changed meanwhile. */
  readonly now: { readonly value: Plan | null; readonly revision: number } | undefined;
  readonly startOver: (seen: Seen) => void;
  readonly close: () => void;
};

/** Edits a plan. It is saved only if the plan still is the one that was seen when the edit began. */
export function PlanEditor({ plan: seen, revision, now, startOver, close }: Props) {
  const [plan, setPlan] = useState(seen);
  const [error, setError] = useState<string>();
  const [isSending, setSending] = useState(false);
  const isNew = seen.name === "";
  const isStale = now !== undefined && now.revision !== revision;
  const setSubtask = (index: number, subtask: Subtask): void =>
    setPlan(withSubtasks(plan, plan.subtasks.with(index, subtask)));
  const save = async (): Promise<void> => {
    const problem = planProblem(plan);
    setError(problem);
    if (problem !== undefined || isSending) return;
    setSending(true);
    const body = { type: "setSlot", name: "plan", value: plan as unknown as Json, revision } as const;
    const ack = await sendAndNotify(body, isNew ? t("The plan is made.") : t("The plan is changed."));
    setSending(false);
    if (ack.ok) close();
    else setError(`${ack.error?.code ?? "refused"}: ${refusalText(ack)}`);
  };
  return (
    <form
      className="plan answer-form"
      aria-label={isNew ? t("Make a plan") : t("Edit the plan")}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Text label={t("Name")} value={plan.name} change={(name) => setPlan({ ...plan, name })} />
      <Text
        label={t("Description")}
        value={plan.description}
        change={(description) => setPlan({ ...plan, description })}
      />
      <Text
        label={t("Expected outcome")}
        value={plan.expectedOutcome}
        change={(expectedOutcome) => setPlan({ ...plan, expectedOutcome })}
      />
      {plan.subtasks.map((subtask, index) => (
        <SubtaskFields
          key={index}
          index={index}
          subtask={subtask}
          change={(next) => setSubtask(index, next)}
          remove={() => setPlan(withSubtasks(plan, plan.subtasks.toSpliced(index, 1)))}
        />
      ))}
      {isStale && (
        <p className="note">
          {t("The plan has changed since you began.")}{" "}
          {now.value && (
            <button
              type="button"
              className="link"
              onClick={() => startOver({ plan: now.value!, revision: now.revision })}
            >
              {t("Begin again with the new plan")}
            </button>
          )}
        </p>
      )}
      {error !== undefined && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
      <div className="choices">
        <Button type="submit" tone="good" icon="check" label={t("Save")} isDisabled={isSending} />
        <Button
          label={t("Add a subtask")}
          onClick={() => setPlan(withSubtasks(plan, [...plan.subtasks, emptySubtask(Date.now())]))}
        />
        <Button tone="quiet" label={t("Back")} onClick={close} />
      </div>
    </form>
  );
}

function SubtaskFields({
  index,
  subtask,
  change,
  remove,
}: {
  readonly index: number;
  readonly subtask: Subtask;
  readonly change: (subtask: Subtask) => void;
  readonly remove: () => void;
}) {
  return (
    <fieldset data-subtask={index}>
      <legend>
        {t("Subtask")} {index}
      </legend>
      <Text
        label={t`Name of subtask ${index}`}
        value={subtask.name}
        change={(name) => change({ ...subtask, name })}
      />
      <Text
        label={t`Description of subtask ${index}`}
        value={subtask.description}
        change={(description) => change({ ...subtask, description })}
      />
      <div className="choices">
        <select
          className="input"
          aria-label={t`State of subtask ${index}`}
          value={subtask.state}
          onChange={({ target }) => change(inState(subtask, target.value as Subtask["state"], Date.now()))}
        >
          {Object.entries(STATE_NAMES).map(([state, name]) => (
            <option key={state} value={state}>
              {name}
            </option>
          ))}
        </select>
        <Button tone="quiet" label={t("Remove")} title={t`Remove subtask ${index}`} onClick={remove} />
      </div>
    </fieldset>
  );
}

function Text({
  label,
  value,
  change,
}: {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
}) {
  return (
    <label>
      {label}
      <input className="input" value={value} onChange={({ target }) => change(target.value)} />
    </label>
  );
}
