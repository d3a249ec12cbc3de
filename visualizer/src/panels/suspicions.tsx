import { useState } from "react";
import { Icon } from "../parts/icon.tsx";
import { model } from "../store/model.ts";
import { goTo } from "../store/navigate.ts";
import { useSuspicions } from "../store/suspicions.ts";
import { useModel } from "../store/use-model.ts";
import type { Suspicion } from "../wire/types.ts";
import { said } from "../words/said.ts";
import { t } from "../words/t.ts";

/** So many are shown unless all are wanted; on a phone one. */
const SHOWN = 2;

/** Says what is odd in the selected run, above it: a sentence each, which leads to the steps that show it. */
export function Suspicions() {
  const found = useSuspicions();
  const [all, setAll] = useState(false);
  if (found.length === 0) return null;
  const isLong = found.length > SHOWN;
  return (
    <section className="suspicions" aria-label={t("Suspicions")} data-testid="suspicions">
      <ul data-all={all || undefined}>
        {(all ? found : oneOfEachKind(found).slice(0, SHOWN)).map((each, place) => (
          <Line key={`${each.kind} ${place}`} suspicion={each} />
        ))}
      </ul>
      {found.length > 1 && (
        <button
          type="button"
          className={isLong ? "button quiet" : "button quiet is-for-phone"}
          aria-expanded={all}
          onClick={() => setAll(!all)}
        >
          {all ? t("Fewer") : t`All ${found.length}`}
        </button>
      )}
    </section>
  );
}

/** Returns suspicions with one of each kind first: a second one of a kind says little that is new. */
export function oneOfEachKind(found: readonly Suspicion[]): readonly Suspicion[] {
  const kinds = new Set<string>();
  const isNew = ({ kind }: Suspicion): boolean => !kinds.has(kind) && kinds.add(kind).size > 0;
  const first = found.filter(isNew);
  return [...first, ...found.filter((each) => !first.includes(each))];
}

function Line({ suspicion: { kind, text, steps, isBroken } }: { readonly suspicion: Suspicion }) {
  const current = useModel((model) => (steps.includes(model.stepNumber) ? model.stepNumber : 0));
  const next = steps.find((step) => step > current) ?? steps[0]!;
  return (
    <li>
      <button
        type="button"
        data-suspicion={kind}
        data-tone={isBroken ? "red" : "amber"}
        title={steps.length === 1 ? t`Show step ${next}` : t`Show step ${next}, one of ${steps.length}`}
        aria-current={current > 0 ? "step" : undefined}
        onClick={() => {
          goTo(next);
          model.set({ tab: "conversation" });
        }}
      >
        <Icon name="warn" />
        <span className="sentence">{said(text)}</span>
        <span className="num">
          #{current || steps[0]}
          {steps.length > 1 && ` (${steps.indexOf(current) + 1 || 1}/${steps.length})`}
        </span>
      </button>
    </li>
  );
}
