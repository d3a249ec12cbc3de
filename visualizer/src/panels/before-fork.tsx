import { stepOfPosition } from "../logic/fork-marks.ts";
import { shortId } from "../logic/format.ts";
import { messagesOf } from "../logic/step-notes.ts";
import { titleOf } from "../logic/step-title.ts";
import { model } from "../store/model.ts";
import { select } from "../store/navigate.ts";
import { useModel } from "../store/use-model.ts";
import { isMissing, originalOf, useWholeRuns } from "../store/whole-run.ts";
import { workLog } from "../store/work-log.ts";
import type { Step } from "../wire/step.ts";
import { t } from "../words/t.ts";

/** The newest steps are listed; the others are in the run itself. */
const MAX_LISTED = 200;

/** The steps of the original that come before the first step of a fork. */
export function BeforeFork() {
  const forkOf = useModel(originalOf);
  return forkOf ? <Steps {...forkOf} /> : null;
}

/** True for a step that stored a message which the fork does not have. */
function bringsOthers(step: Step | undefined): boolean {
  return step !== undefined && messagesOf(step).some(({ id }) => model.run.stepOfMessage(id) === undefined);
}

function Steps({ runId, seq }: { readonly runId: string; readonly seq: number }) {
  const [run] = useWholeRuns([runId]);
  const row = useModel((all) => all.rows.get(runId));
  const index = useModel((all) => (row && all.charts.get(row.chart)?.index) ?? all.chart?.index);
  if (isMissing(runId))
    return <p className="before-fork">{t("The original of this fork is not there any more.")}</p>;
  if (!run || !row || run.last === 0) return null;
  let last = stepOfPosition(run, seq, row.source) ?? 0;
  // the journal is written after a step: one more may seem to be in it
  while (last > 0 && bringsOthers(run.at(last))) last--;
  if (last === 0) return null;
  const log = workLog(run, index);
  const first = Math.max(run.first, last - MAX_LISTED + 1);
  return (
    <details className="before-fork" data-testid="before-fork">
      <summary>
        {last} {last === 1 ? t("step") : t("steps")} {t("before the fork, of")} {row.agent} {shortId(runId)}
      </summary>
      <ol start={first}>
        {Array.from({ length: last - first + 1 }, (_, at) => {
          const step = run.at(first + at);
          const title = step && titleOf(step, log.endedAt(step.number), log.begunAt(step.number));
          return (
            <li key={first + at}>
              <button
                type="button"
                className="link"
                onClick={() => select({ runId, stepNumber: first + at })}
              >
                #{first + at} {title?.title} <span className="note">{title?.note}</span>
              </button>
            </li>
          );
        })}
      </ol>
    </details>
  );
}
