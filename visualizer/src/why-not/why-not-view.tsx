import { useMemo, useState } from "react";
import { shortName } from "../logic/chart-index.ts";
import { useDisplayedStep } from "../store/displayed-step.ts";
import type { ChartFilter, IndexedChart } from "../store/model.ts";
import { goTo } from "../store/navigate.ts";
import { readGuard } from "./guard-reads.ts";
import { edgesInto, edgeText, verdictText, whyNot, type Verdict } from "./why-not.ts";
import { t } from "../words/t.ts";

type Props = { readonly chart: IndexedChart; readonly filter: ChartFilter };

/** More verdicts than this are shown when they are asked for. */
const FIRST = 6;

/** Says why the picked state was not entered, or the picked edges were not taken, up to the displayed step. */
export function WhyNotView({ chart: { index }, filter }: Props) {
  const { run, stepNumber, version } = useDisplayedStep();
  const [isWhole, setWhole] = useState(false);
  const verdicts = useMemo(() => {
    const edges =
      filter.kind === "state"
        ? filter.ids.flatMap((id) => edgesInto(index, id))
        : filter.ids.flatMap((id) => index.edges.get(id) ?? []);
    return whyNot(run, index, edges, stepNumber, readGuard);
  }, [run, index, filter, stepNumber, version]);
  const shown = isWhole ? verdicts : verdicts.slice(0, FIRST);
  return (
    <ol className="why-list" data-testid="why-not">
      {shown.map((verdict) => (
        <VerdictLine key={verdict.edge.id} verdict={verdict} />
      ))}
      {verdicts.length === 0 && (
        <li className="muted">
          {t("No edge leads into")} {filter.ids.map(shortName).join(", ")}.
        </li>
      )}
      {shown.length < verdicts.length && (
        <li>
          <button type="button" className="link" onClick={() => setWhole(true)}>
            {verdicts.length - shown.length} {t("more, farther away")}
          </button>
        </li>
      )}
    </ol>
  );
}

function VerdictLine({ verdict }: { readonly verdict: Verdict }) {
  const step = "step" in verdict ? verdict.step : undefined;
  return (
    <li data-verdict={verdict.kind}>
      <p className="mono">{edgeText(verdict.edge)}</p>
      <p>
        {verdictText(verdict)}{" "}
        {step !== undefined && (
          <button type="button" className="link" onClick={() => goTo(step)}>
            {t("go to step")} {step}
          </button>
        )}
      </p>
      {verdict.kind === "false" && verdict.reads.length > 0 && (
        <p className="why-reads">
          {verdict.isAfter ? t("after") : t("before")} {t("the step:")}{" "}
          {verdict.reads.map(({ path, value }) => (
            <code key={path}>
              {path} = {value}
            </code>
          ))}
        </p>
      )}
    </li>
  );
}
