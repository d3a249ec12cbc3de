import { messageOf } from "../../core/base/error.ts";
import type { RunFacts } from "./facts.ts";

/** The finding of a check. */
export type Finding = {
  /** One sentence of plain text: what happened, with names and numbers. It may hold text of models and tools. */
  readonly text: string;
  /** The steps that show it, ascending; at least one. */
  readonly steps: readonly number[];
  /** A few words for a list of runs, such as "search ×14". Default: the title of the check. */
  readonly label?: string | undefined;
};

/**
 * Looks for one kind of oddity in a run. `find` is a pure function of the facts: it is called again whenever the run has gone on.
 *
 * @example
 * ```ts
 * import { startHub, type SuspicionCheck } from "agentchart/inspect";
 *
 * const largeRefund: SuspicionCheck = {
 *   name: "large-refund",
 *   title: "a large refund",
 *   find: ({ calls }) =>
 *     calls
 *       .filter(({ tool, input }) => tool === "refund" && Number((input as { cents?: number }).cents) > 100_000)
 *       .map(({ askedAt, id }) => ({ text: `The call ${id} refunds more than 1,000.`, steps: [askedAt] })),
 * };
 * const hub = await startHub({ suspicions: [largeRefund] });
 * ```
 */
export type SuspicionCheck = {
  /** Unique among the checks: small letters, digits and dashes. One with the name of a built-in check replaces it. */
  readonly name: string;
  /** The subject of the check, in a few words: "the same call again and again". */
  readonly title: string;
  readonly find: (facts: RunFacts) => readonly Finding[];
};

/** An oddity of a run: what a check of this name found. */
export type Suspicion = Omit<Finding, "label"> & {
  readonly label: string;
  /** The name of the check. */
  readonly kind: string;
  /** The check threw: `text` says what. */
  readonly isBroken?: true | undefined;
};

/** The maximum number of findings of one check that are retained. */
const MAX_FINDINGS = 50;
/** The longest sentence, in characters. */
const MAX_TEXT = 400;

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;

/** Returns the suspicions that checks find in a run, in the order of its steps. A check that throws, or returns something else than
 *  findings, is reported as a suspicion of its own at step 1. */
export function suspicionsIn(facts: RunFacts, checks: readonly SuspicionCheck[]): readonly Suspicion[] {
  const found = checks.flatMap((check): readonly Suspicion[] => {
    const { name: kind, title } = check;
    try {
      return check
        .find(facts)
        .slice(0, MAX_FINDINGS)
        .map((finding) => suspicionOf(check, finding));
    } catch (error) {
      const text = `The check '${kind}' failed: ${messageOf(error)}`;
      return [{ kind, label: title, text: cut(text, MAX_TEXT), steps: [1], isBroken: true }];
    }
  });
  return found.toSorted((one, other) => one.steps[0]! - other.steps[0]!);
}

function suspicionOf(
  { name: kind, title }: SuspicionCheck,
  { text, steps, label = title }: Finding,
): Suspicion {
  const ascending = [...new Set(steps)].filter((step) => Number.isSafeInteger(step) && step > 0);
  if (typeof text !== "string" || ascending.length === 0)
    throw new TypeError("A finding has a `text`, and in `steps` the number of at least one step.");
  return {
    kind,
    text: cut(text, MAX_TEXT),
    label: cut(label, 60),
    steps: ascending.toSorted((one, other) => one - other),
  };
}

/** The built-in checks and those of a user, of which one with the same name replaces a built-in one. */
export function withOwnChecks(
  builtIn: readonly SuspicionCheck[],
  own: readonly SuspicionCheck[],
): readonly SuspicionCheck[] {
  const names = new Set(own.map(({ name }) => name));
  return [...builtIn.filter(({ name }) => !names.has(name)), ...own];
}
