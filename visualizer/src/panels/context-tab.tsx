import { useMemo } from "react";
import { changedIds } from "../logic/json-rows.ts";
import { JsonTree } from "../parts/json-tree.tsx";
import { Nothing } from "../parts/nothing.tsx";
import { useStep } from "./use-step.ts";

/** The machine's context after the step; what the step changed is marked. */
export function ContextTab() {
  const { q, step, context } = useStep();
  const changed = useMemo(() => changedIds((step?.p ?? []).map(([, path]) => path)), [step]);
  if (!context) return <Nothing q={q} />;
  return <JsonTree value={context} label={`Context after step ${q}`} changed={changed} openDepth={0} />;
}
