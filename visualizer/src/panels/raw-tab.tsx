import { Button } from "../parts/button.tsx";
import { MissingStep } from "../parts/missing-step.tsx";
import { copy } from "../store/copy.ts";
import { model } from "../store/model.ts";
import { encodeStep } from "../wire/step.ts";
import { useStep } from "./use-step.ts";
import { characters } from "../words/characters.ts";
import { t } from "../words/t.ts";

const MAX_TEXT_LENGTH = 60_000;

/** The step as it is sent over the wire, with the ids of its states. */
export function RawTab() {
  const { stepNumber, step } = useStep();
  if (!step) return <MissingStep stepNumber={stepNumber} />;
  const text = JSON.stringify({ ...encodeStep(step), states: model.run.statesAt(stepNumber) }, null, 2);
  return (
    <div className="raw">
      <header>
        <span className="muted">
          {t("step")} {stepNumber} · {characters(text.length)}
        </span>
        <Button tone="quiet" label={t("Copy")} onClick={() => void copy(text)} />
      </header>
      <pre tabIndex={0}>
        {text.slice(0, MAX_TEXT_LENGTH)}
        {text.length > MAX_TEXT_LENGTH && "\n…"}
      </pre>
    </div>
  );
}
