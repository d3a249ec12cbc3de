import { useMemo, useState } from "react";
import { compact, duration, money } from "../logic/format.ts";
import { modelCalls, sumUsage } from "../logic/totals.ts";
import { MissingStep } from "../parts/missing-step.tsx";
import { model } from "../store/model.ts";
import { goTo } from "../store/navigate.ts";
import { useStep } from "./use-step.ts";
import { t } from "../words/t.ts";

/** So many of the newest calls are listed, unless all are wanted: a long list costs too much in each frame of a scrub. */
const MAX_LISTED = 20;

/** The model calls up to the step, with their tokens, time and cost. */
export function TokensTab() {
  const { stepNumber, context } = useStep();
  const calls = useMemo(() => modelCalls(context), [context]);
  const [isWhole, setWhole] = useState(false);
  if (!context) return <MissingStep stepNumber={stepNumber} />;
  if (calls.length === 0) return <p className="placeholder">{t("No token usage reported yet.")}</p>;
  const total = sumUsage(calls.map(({ usage }) => usage));
  const most = Math.max(...calls.map(({ usage }) => (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)), 1);
  const shown = isWhole ? calls : calls.slice(-MAX_LISTED);
  return (
    <div className="tokens">
      {shown.length < calls.length && (
        <button type="button" className="link" onClick={() => setWhole(true)}>
          {t("Show the")} {calls.length - shown.length} {t("calls before")}
        </button>
      )}
      <table>
        <thead>
          <tr>
            <th scope="col">{t("step")}</th>
            <th scope="col">{t("in")}</th>
            <th scope="col">{t("cached")}</th>
            <th scope="col">{t("out")}</th>
            <th scope="col">{t("time")}</th>
            <th scope="col">{t("cost")}</th>
          </tr>
        </thead>
        <tbody className="num">
          {shown.map(({ messageId, usage }) => {
            const step = model.run.stepOfMessage(messageId);
            return (
              <tr key={messageId} onClick={step === undefined ? undefined : () => goTo(step)}>
                <td>
                  {step === undefined ? (
                    "–"
                  ) : (
                    <button type="button" className="link" onClick={() => goTo(step)}>
                      {step}
                    </button>
                  )}
                </td>
                <td>{compact(usage.inputTokens)}</td>
                <td>{compact(usage.cachedInputTokens)}</td>
                <td>
                  {compact(usage.outputTokens)}
                  {usage.estimated && <abbr title={t("Estimated, not reported by the provider")}>≈</abbr>}
                </td>
                <td>{duration(usage.durationMs)}</td>
                <td>{money(usage.cost)}</td>
                <td className="share" aria-hidden="true">
                  <i
                    style={{ width: `${((usage.cachedInputTokens ?? 0) / most) * 100}%` }}
                    data-tone="slate"
                  />
                  <i
                    style={{
                      width: `${(((usage.inputTokens ?? 0) - (usage.cachedInputTokens ?? 0)) / most) * 100}%`,
                    }}
                    data-tone="cyan"
                  />
                  <i style={{ width: `${((usage.outputTokens ?? 0) / most) * 100}%` }} data-tone="violet" />
                </td>
              </tr>
            );
          })}
        </tbody>
        <tfoot className="num">
          <tr>
            <th scope="row">{calls.length === 1 ? t("1 call") : t`${calls.length} calls`}</th>
            <td>{compact(total.inputTokens)}</td>
            <td>{compact(total.cachedInputTokens)}</td>
            <td>{compact(total.outputTokens)}</td>
            <td />
            <td>{money(total.cost)}</td>
          </tr>
        </tfoot>
      </table>
      <p className="legend">
        <span data-tone="slate">
          <i /> {t("cached")}
        </span>
        <span data-tone="cyan">
          <i /> {t("in")}
        </span>
        <span data-tone="violet">
          <i /> {t("out")}
        </span>
      </p>
    </div>
  );
}
