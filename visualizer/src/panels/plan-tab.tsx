import { useState } from "react";
import { emptyPlan, planOf, STATE_NAMES, todosOf } from "../logic/plan.ts";
import { Button } from "../parts/button.tsx";
import { MissingStep } from "../parts/missing-step.tsx";
import { disabledReason } from "../store/disabled-reason.ts";
import { useModel } from "../store/use-model.ts";
import type { Plan, Todo } from "../wire/types.ts";
import { PlanEditor } from "./plan-editor.tsx";
import { useStep } from "./use-step.ts";
import { t } from "../words/t.ts";

/** The plan of the run after the displayed step, which a person may edit while a process drives the run. */
export function PlanTab() {
  const runId = useModel((all) => all.selection.runId);
  return <PlanOfRun key={runId} />;
}

function PlanOfRun() {
  const { stepNumber, context } = useStep();
  const isLive = useModel((all) => all.isLive);
  const reason = useModel((all) => disabledReason(all, "setSlot"));
  const canMake = useModel((all) => all.row?.slots?.includes("plan") ?? false);
  const [edited, setEdited] = useState<{ readonly plan: Plan; readonly revision: number }>();
  if (!context) return <MissingStep stepNumber={stepNumber} />;
  const slot = planOf(context);
  const todos = todosOf(context);
  if (edited)
    return (
      <PlanEditor
        key={edited.revision}
        {...edited}
        now={slot === "other" ? undefined : slot}
        startOver={setEdited}
        close={() => setEdited(undefined)}
      />
    );
  if (slot === "other")
    return <p className="placeholder">{t("This plan is shown in the tab Context only.")}</p>;
  const plan = slot?.value;
  const isWritable = isLive && reason === undefined;
  const begin = (): void =>
    setEdited({ plan: plan ?? emptyPlan(newId(), Date.now()), revision: slot?.revision ?? 0 });
  const why = isLive
    ? t("Changes the plan that the model reads with its next request")
    : t("Go to the newest step to edit the plan");
  return (
    <div className="plan">
      {plan && <PlanView plan={plan} />}
      {!plan && !todos && <p className="placeholder">{t("There is no plan at this step.")}</p>}
      {(plan || canMake) && (
        <div className="choices">
          <Button
            label={plan ? t("Edit the plan") : t("Make a plan")}
            isDisabled={!isWritable}
            title={reason === undefined ? why : t`Not possible: ${reason}`}
            onClick={begin}
          />
          {slot && (
            <span className="is-minor">
              {t("revision")} {slot.revision}
            </span>
          )}
        </div>
      )}
      {todos && <TodoView todos={todos} />}
    </div>
  );
}

/** An id for a new plan; pages that are not served from this machine have no `crypto.randomUUID`. */
const newId = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-");

function PlanView({ plan }: { readonly plan: Plan }) {
  return (
    <>
      <h2>{plan.name}</h2>
      <p>{plan.description}</p>
      <p className="is-minor">
        {t("Expected:")} {plan.expectedOutcome}
      </p>
      <ol start={0}>
        {plan.subtasks.map((subtask, index) => (
          <li key={index} data-subtask={index} data-state-of-subtask={subtask.state}>
            <span>{subtask.name}</span> <span className="badge">{STATE_NAMES[subtask.state]}</span>
            {subtask.description !== "" && <p className="is-minor">{subtask.description}</p>}
            {subtask.outcome !== null && (
              <p className="is-minor">
                {t("Outcome:")} {subtask.outcome}
              </p>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

function TodoView({ todos }: { readonly todos: readonly Todo[] }) {
  return (
    <>
      <h2>{t("To do")}</h2>
      <ul>
        {todos.map(({ content, status }, index) => (
          <li key={index}>
            {content} <span className="badge">{status}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
