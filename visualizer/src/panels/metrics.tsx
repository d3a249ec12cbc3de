import { compact, duration, money } from "../logic/format.ts";
import { useNow } from "../parts/use-now.ts";
import { useDisplayedStep } from "../store/displayed-step.ts";
import { useModel } from "../store/use-model.ts";
import { totalsAt } from "../logic/totals.ts";
import type { Usage } from "../wire/types.ts";
import { t } from "../words/t.ts";

/** The usage of the whole run while live, else up to the displayed step. */
export function Metrics() {
  const isLive = useModel((all) => all.isLive);
  const row = useModel((all) => all.row)!;
  const { run, stepNumber } = useDisplayedStep();
  const isWorking = useModel((all) => all.isWorking) && isLive;
  const now = useNow(200, isWorking);
  const totals = isLive ? row.usage : totalsAt(run.contextAt(stepNumber));
  const step = run.at(stepNumber);
  const end = isWorking ? now : isLive ? row.updatedAt : (step?.time ?? row.updatedAt);
  return (
    <dl className="metrics">
      {row.actor === undefined && <Spent totals={totals} />}
      <div className="is-minor">
        <dt>{t("elapsed")}</dt>
        <dd>{duration(Math.max(0, end - row.startedAt))}</dd>
      </div>
    </dl>
  );
}

/** The tokens and the cost of the models of a run; an actor that is not an agent asks none. */
function Spent({ totals }: { readonly totals: Partial<Usage> }) {
  return (
    <>
      <div>
        <dt>{t("in")}</dt>
        <dd>{compact(totals.inputTokens)}</dd>
      </div>
      <div className="is-minor">
        <dt>{t("cached")}</dt>
        <dd>{compact(totals.cachedInputTokens)}</dd>
      </div>
      <div>
        <dt>{t("out")}</dt>
        <dd>{compact(totals.outputTokens)}</dd>
      </div>
      <div>
        <dt>{t("cost")}</dt>
        <dd>{money(totals.cost)}</dd>
      </div>
    </>
  );
}
