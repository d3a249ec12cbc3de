import { HINTS } from "../../../examples/inspect-demo/hints.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { WithCode } from "../parts/with-code.tsx";
import { model } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";
import { t } from "../words/t.ts";

/** Leads a newcomer to the cause of the bug in the sample run, one hint after the other. */
export default function Guide() {
  const place = useModel((all) => all.guide);
  const hint = place === null ? undefined : HINTS[place];
  if (place === null || hint === undefined) return null;
  const show = (next: number | null): void => model.set({ guide: next });
  return (
    <section className="guide" aria-label={t("Hints")} data-testid="guide">
      <Icon name="question" />
      <p aria-live="polite">
        <span className="num">
          {place + 1} {t("of")} {HINTS.length}
        </span>{" "}
        <WithCode text={hint} />
      </p>
      {place > 0 && <Button tone="quiet" label={t("Back")} onClick={() => show(place - 1)} />}
      {place < HINTS.length - 1 && <Button label={t("Next hint")} onClick={() => show(place + 1)} />}
      <Button tone="quiet" icon="cross" title={t("Hide the hints")} onClick={() => show(null)} />
    </section>
  );
}
