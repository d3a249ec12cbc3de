import { Button } from "../parts/button.tsx";
import { model } from "../store/model.ts";
import { select, showMany } from "../store/navigate.ts";
import { t } from "../words/t.ts";
import { OverviewPart } from "./overview-part.tsx";
import { ReportsPart } from "./reports-part.tsx";

/** Many runs at once: what the filter of the list finds, summed up, or the reports that the server has opened. */
export default function ManyView({ at }: { readonly at: string }) {
  const [kind, numbers = ""] = at.split("/");
  const isOverview = kind === "overview";
  return (
    <main className="comparison" data-testid="many">
      <header>
        <h2>{isOverview ? t("Overview") : t("Results")}</h2>
        <Button label={t("Overview")} isPressed={isOverview} onClick={() => showMany("overview")} />
        <Button
          label={t("Evaluations and experiments")}
          isPressed={!isOverview}
          onClick={() => showMany("reports")}
        />
        <span className="spacer" />
        <Button icon="cross" label={t("Close")} onClick={() => select(model.selection)} />
      </header>
      {isOverview ? (
        <OverviewPart />
      ) : (
        <ReportsPart key={numbers} numbers={numbers.split(",").filter(Boolean).map(Number)} />
      )}
    </main>
  );
}
