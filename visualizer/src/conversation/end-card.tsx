import type { EndOfTurn } from "../logic/outcome.ts";
import { cut } from "../logic/json-rows.ts";
import { Icon } from "../parts/icon.tsx";

const MAX_HINT = 1_000;

/** Shows the end of a turn that was not answered: what happened, and why. */
export function EndCard({ end }: { readonly end: EndOfTurn }) {
  return (
    <p className="turn-end" data-tone={end.tone} data-testid="turn-end">
      <Icon name={end.icon} />
      <strong>{end.label}</strong>{" "}
      <span>
        {end.text}
        {end.hint !== undefined && <span className="hint-text">{cut(end.hint, MAX_HINT)}</span>}
      </span>
    </p>
  );
}
