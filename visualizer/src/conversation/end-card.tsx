import type { EndOfTurn } from "../logic/outcome.ts";
import { Icon } from "../parts/icon.tsx";

/** How a turn ended that was not answered: what happened, and why. */
export function EndCard({ end }: { readonly end: EndOfTurn }) {
  return (
    <p className="turn-end" data-tone={end.tone} data-testid="turn-end">
      <Icon name={end.icon} />
      <strong>{end.label}</strong> <span>{end.text}</span>
    </p>
  );
}
