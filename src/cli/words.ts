import type { GivenFlags } from "./read-flags.ts";
import { UsageError } from "./usage-error.ts";

/** The one word that a command takes. Throws a {@link UsageError} that asks for it. */
export function onlyWord({ words }: GivenFlags, question: string): string {
  const [word, extra] = words;
  if (!word) throw new UsageError(question);
  if (extra !== undefined) throw oneTooMany(extra);
  return word;
}

/** For a command that takes no words. Throws a {@link UsageError} if there is one. */
export function noWords({ words: [word] }: GivenFlags): void {
  if (word !== undefined) throw oneTooMany(word);
}

function oneTooMany(word: string): UsageError {
  return new UsageError(`"${word}" is one word too many.`);
}

/** The whole number from 1 that a flag gives, if it was given. Throws a {@link UsageError} for anything else. */
export function countOf(flags: GivenFlags, name: string): number | undefined {
  const said = flags.text(name);
  if (said === undefined) return undefined;
  const count = Number(said);
  if (!/^\d+$/.test(said) || count < 1 || !Number.isSafeInteger(count))
    throw new UsageError(`"--${name}" must be a whole number from 1, not "${said}".`);
  return count;
}
