import { shortId } from "../logic/format.ts";
import { select } from "../store/navigate.ts";
import { useModel } from "../store/use-model.ts";
import { originalOf, useWholeRuns } from "../store/whole-run.ts";
import { t } from "../words/t.ts";

/** Says that a message of a fork was there before it, and leads to the step of the original that stored it. */
export function OriginStep({ messageId }: { readonly messageId: string }) {
  const runId = useModel((all) => originalOf(all)?.runId);
  const [run] = useWholeRuns(runId === undefined ? [] : [runId]);
  const step = run?.stepOfMessage(messageId);
  return (
    <>
      <span className="badge">{t("before the fork")}</span>
      {runId !== undefined && step !== undefined && (
        <button
          type="button"
          className="step num"
          title={t`Show the step of ${shortId(runId)} that stored this message`}
          onClick={() => select({ runId, stepNumber: step })}
        >
          #{step}
        </button>
      )}
    </>
  );
}
