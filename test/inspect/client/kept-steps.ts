import type { History } from "../../../src/inspect/client/history.ts";
import { textOfBytes } from "../../../src/inspect/client/step-pages.ts";
import type { Step } from "../../../src/inspect/protocol/protocol.ts";

/** Returns all steps of a history. */
export function keptSteps(history: History): readonly Step[] {
  const steps: Step[] = [];
  while (history.first + steps.length <= history.last) {
    const { bytes } = history.from(history.first + steps.length, Number.POSITIVE_INFINITY);
    steps.push(...(JSON.parse(`[${textOfBytes(bytes)}]`) as Step[]));
  }
  return steps;
}
