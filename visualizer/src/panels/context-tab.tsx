import { useMemo } from "react";
import { changedIds } from "../logic/json-rows.ts";
import { JsonTree } from "../parts/json-tree.tsx";
import { MissingStep } from "../parts/missing-step.tsx";
import { useStep } from "./use-step.ts";
import { t } from "../words/t.ts";

/** The machine's context after the step, with the changes of the step marked. */
export function ContextTab() {
  const { stepNumber, step, context } = useStep();
  const changed = useMemo(() => changedIds((step?.patch ?? []).map(([, path]) => path)), [step]);
  if (!context) return <MissingStep stepNumber={stepNumber} />;
  return (
    <JsonTree value={context} label={t`Context after step ${stepNumber}`} changed={changed} openDepth={0} />
  );
}
