import { useEffect, useMemo, useState } from "react";
import { changesOf, editablesOf, type Edit, type Editable } from "../logic/fork-edits.ts";
import { asStored, beforeStep } from "../logic/fork-place.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { client } from "../store/client.ts";
import { sendCommand } from "../store/commands.ts";
import { model } from "../store/model.ts";
import { compareRuns, select } from "../store/navigate.ts";
import { notify } from "../store/notices.ts";
import type { ForkPlace, ForkPlan } from "../wire/types.ts";
import { EditField } from "./edit-field.tsx";
import { ToolsQuestion, WillRun, type ToolsChoice } from "./tools-question.tsx";
import { Frame } from "./frame.tsx";
import { t } from "../words/t.ts";

/** The maximum number of forks that may run at once. */
const MAX_TIMES = 20;

type Props = {
  /** The step before which the fork begins; that behind the newest one stands for the end of the run. */
  readonly stepNumber: number;
  /** The part that is edited at first, see {@link Editable.key}. */
  readonly edited?: string;
  /** The exact position at which the fork begins; default: before the step. */
  readonly at?: ForkPlace;
};

/** Forks the run before a step, with changes of anything, and runs the forks. */
export default function ForkDialog({ stepNumber: asked, edited, at }: Props) {
  const [{ seq: before, stepNumber: first }] = useState(() => beforeStep(model.run, model.row, asked));
  const [isAtEnd] = useState(() => asked > model.run.last);
  const { plan, problem: planProblem, seq = 0 } = usePlan(before, asked, at);
  const stepNumber = at ? asked : plan?.remade === undefined ? first : asked - plan.remade;
  const choices = useMemo(
    () => editablesOf(model.run.contextAt(stepNumber - 1), plan?.agent),
    [stepNumber, plan],
  );
  const [edits, setEdits] = useState<readonly Edit[]>([]);
  const [times, setTimes] = useState(1);
  const [starts, setStarts] = useState(true);
  const isIdle = plan !== undefined && !plan.agent;
  const runs = starts && !isIdle;
  const [input, setInput] = useState<string>();
  const [tools, setTools] = useState<ToolsChoice>();
  const asksTools = runs && plan?.agent !== undefined && plan.agent.tools.length > 0;
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
    const original = model.selection.runId!;
    const { changes } = made;
    const hasChanges = Object.keys(changes).length > 0;
    const ack = await sendCommand({
      type: "fork",
      seq,
      ...(hasChanges && { changes }),
      ...(times > 1 && { times }),
      start: runs,
      ...(asksTools && tools && { tools }),
      ...(runs && input !== undefined && { input }),
    });
    setSent(false);
    if (!ack.ok) return setProblem(ack.error?.message);
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
  const title = isAtEnd
    ? t("Edit and run again from the end")
    : t`Edit and run again from step ${stepNumber}`;
  const left = choices.filter(({ key }) => !edits.some((edit) => edit.key === key));
  return (
    <Frame title={title}>
      <form
        data-testid="fork"
        onSubmit={(event) => {
          event.preventDefault();
          void fork();
        }}
      >
        <h2>
          <Icon name="fork" /> {title}
        </h2>
        <p className="muted">
          {isAtEnd
            ? t(
                "Begins a new run with everything so far, and your changes. The original run does not change.",
              )
            : t(
                "Begins a new run with everything before this step, and your changes: the step is made again. The original run does not change.",
              )}{" "}
          {stepNumber < asked &&
            t`Steps ${stepNumber} to ${asked} were stored together, so all of them are made again.`}
        </p>
        {plan?.input !== undefined && (
          <label>
            {runs
              ? t("The run rested here. The message that it gets again")
              : t("The run rested here. Its fork gets no message until you send one. The original got")}
            <textarea
              className="input"
              rows={3}
              readOnly={!runs}
              value={input ?? plan.input}
              onChange={({ target }) => setInput(target.value)}
            />
          </label>
        )}
        {planProblem === undefined && <WillRun plan={plan} tools={tools} />}
        {asksTools && <ToolsQuestion agent={plan.agent!} chosen={tools} onChoose={setTools} />}
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
            isDisabled={seq === 0 || isSent || (runs && input?.trim() === "")}
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
function usePlan(before: number, stepNumber: number, at: ForkPlace | undefined): PlanAnswer {
  const [answer, setAnswer] = useState<PlanAnswer>({});
  useEffect(() => {
    let isMounted = true;
    const step = at ? undefined : asStored(model.run, stepNumber);
    void sendCommand({
      type: "forkPlan",
      seq: before,
      ...(at && { at }),
      ...(step && { step }),
    }).then(({ ok, data, seq, error }) => {
      if (!isMounted) return;
      if (!ok) return setAnswer({ problem: error?.message });
      const plan = data as unknown as ForkPlan | undefined;
      const willRun = Array.isArray(plan?.willRun) ? plan.willRun.map(String) : [];
      setAnswer({ plan: { ...plan, willRun }, seq: seq ?? before });
    });
    return () => {
      isMounted = false;
    };
  }, [before, stepNumber, at]);
  return answer;
}
