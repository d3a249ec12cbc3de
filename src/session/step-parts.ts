import type { SessionEntry, StoredStep } from "./entry.ts";

/** A stored step that says when it was, and how many entries belong to it. */
export type TimedStep = StoredStep & Required<Pick<StoredStep, "at" | "facts">>;

const isTimed = (step: StoredStep): step is TimedStep => step.at !== undefined && step.facts !== undefined;

/** Returns the entries of an append by its steps: first those before the first one, then those of each. Undefined if it does not say it. */
export function partsOfSteps(
  entries: readonly SessionEntry[],
  steps: readonly StoredStep[],
): readonly SessionEntry[][] | undefined {
  if (steps.length === 0 || !steps.every(isTimed)) return undefined;
  const recorded = entries.slice(0, entries.at(-2)?.type === "groups" ? -2 : -1);
  let from = recorded.length - steps.reduce((sum, { facts }) => sum + facts, 0);
  if (from < 0) return undefined;
  const parts = [recorded.slice(0, from)];
  for (const { facts } of steps) parts.push(recorded.slice(from, (from += facts)));
  parts.at(-1)!.push(...entries.slice(recorded.length));
  return parts;
}
