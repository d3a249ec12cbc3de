import { SUSPICIONS } from "../../../src/inspect/suspicions/checks.ts";
import { FactReader } from "../../../src/inspect/suspicions/fact-reader.ts";
import { suspicionsIn, type Suspicion } from "../../../src/inspect/suspicions/suspicion.ts";
import type { RunData } from "./run-data.ts";

/** Finds what is odd in a run of a file, by the built-in checks. */
export function suspicionsInFile(run: RunData): readonly Suspicion[] {
  const reader = new FactReader(run.contextAt(run.first - 1), run.first - 1);
  for (let number = run.first; number <= run.last; number++) {
    const { event: e, account: d, patch: p } = run.at(number)!;
    reader.add({ q: number, e, p, ...(d && { d }) });
  }
  return suspicionsIn(reader.facts, SUSPICIONS);
}
