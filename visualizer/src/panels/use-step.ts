import { useEffect } from "react";
import { fillAround } from "../store/load.ts";
import { useModel } from "../store/use-model.ts";
import type { Step } from "../wire/step.ts";
import type { JsonObject } from "../wire/types.ts";

/** The displayed step with its context and the context before it; missing ones are loaded. */
export function useStep(): {
  readonly stepNumber: number;
  readonly step: Step | undefined;
  readonly context: JsonObject | undefined;
  readonly before: JsonObject | undefined;
} {
  const run = useModel((all) => all.run);
  const stepNumber = useModel((all) => all.stepNumber);
  const step = useModel((all) => all.run.at(all.stepNumber));
  const context = useModel((all) => all.run.contextAt(all.stepNumber));
  const before = useModel((all) => all.run.contextAt(all.stepNumber - 1));
  const isMissing = stepNumber > 0 && context === undefined;
  useEffect(() => {
    if (isMissing) void fillAround(stepNumber);
  }, [isMissing, stepNumber, run]);
  return { stepNumber, step, context, before };
}
