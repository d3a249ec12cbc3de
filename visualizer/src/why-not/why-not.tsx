import { lazy, Suspense, useState } from "react";
import { shortName } from "../logic/chart-index.ts";
import { Icon } from "../parts/icon.tsx";
import type { ChartFilter, IndexedChart, Model } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";
import { t } from "../words/t.ts";

const WhyNotView = lazy(async () => ({ default: (await import("./why-not-view.tsx")).WhyNotView }));

/** The picked states or edges of the chart. */
const picked = ({ stepFilter }: Model): ChartFilter | null =>
  stepFilter && stepFilter.kind !== "search" && stepFilter.kind !== "place" ? stepFilter : null;

/** Asks why the picked state or edge of the chart was not reached at the displayed step; nothing while none is picked. */
export function WhyNot({ chart }: { readonly chart: IndexedChart }) {
  const filter = useModel(picked);
  const [isOpen, setOpen] = useState(false);
  if (!filter) return null;
  const name = filter.kind === "state" ? filter.ids.map(shortName).join(", ") : t("this transition");
  return (
    <section className="why-not" aria-label={t`Why not ${name}?`}>
      <button type="button" className="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="question" /> {t("Why not")} {name}?
      </button>
      {isOpen && (
        <Suspense fallback={<p className="muted">{t("Loading …")}</p>}>
          <WhyNotView chart={chart} filter={filter} />
        </Suspense>
      )}
    </section>
  );
}
