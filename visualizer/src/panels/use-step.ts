import { useEffect } from "react";
import { useDisplayedStep } from "../store/displayed-step.ts";
import { fillAround } from "../store/load.ts";
import type { RunData } from "../store/run-data.ts";
import type { Step } from "../wire/step.ts";
import type { JsonObject } from "../wire/types.ts";

/** The displayed step with its context; missing ones are loaded. */
export function useStep(): {
  readonly run: RunData;
  readonly stepNumber: number;
  readonly step: Step | undefined;
  readonly context: JsonObject | undefined;
} {
  const { run, stepNumber } = useDisplayedStep();
  const context = run.contextAt(stepNumber);
  const isMissing = stepNumber > 0 && context === undefined;
  useEffect(() => {
    if (isMissing) void fillAround(stepNumber);
  }, [isMissing, stepNumber, run]);
  return { run, stepNumber, step: run.at(stepNumber), context };
}
