import { bytes } from "../logic/format.ts";
import { Button } from "../parts/button.tsx";
import { Nothing } from "../parts/nothing.tsx";
import { copy } from "../store/copy.ts";
import { model } from "../store/model.ts";
import { useStep } from "./use-step.ts";

const SHOWN = 60_000;

/** The step as it came over the wire, with the names of its states. */
export function RawTab() {
  const { q, step } = useStep();
  if (!step) return <Nothing q={q} />;
  const text = JSON.stringify({ ...step, states: model.run.statesAt(q) }, null, 2);
  return (
    <div className="raw">
      <header>
        <span className="muted">
          step {q} · {bytes(text.length)}
        </span>
        <Button tone="quiet" label="Copy" onClick={() => void copy(text)} />
      </header>
      <pre tabIndex={0}>
        {text.slice(0, SHOWN)}
        {text.length > SHOWN && "\n…"}
      </pre>
    </div>
  );
}
