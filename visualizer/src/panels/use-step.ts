import { useEffect } from "react";
import { fillAround } from "../store/load.ts";
import { useModel } from "../store/use-model.ts";
import type { JsonObject, Step } from "../wire/types.ts";

/** The shown step with its context, and the context before it; fetched if they are not here. */
export function useStep(): {
  readonly q: number;
  readonly step: Step | undefined;
  readonly context: JsonObject | undefined;
  readonly before: JsonObject | undefined;
} {
  const run = useModel((all) => all.run);
  const q = useModel((all) => all.q);
  const step = useModel((all) => all.run.at(all.q));
  const context = useModel((all) => all.run.contextAt(all.q));
  const before = useModel((all) => all.run.contextAt(all.q - 1));
  const isMissing = q > 0 && context === undefined;
  useEffect(() => {
    if (isMissing) void fillAround(q);
  }, [isMissing, q, run]);
  return { q, step, context, before };
}
