import type { Usage } from "../message/types.ts";

const COUNTS = [
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "reasoningTokens",
] as const;
type Counts = { -readonly [K in (typeof COUNTS)[number]]?: number };

/** The counts of a provider, whatever they are. `totalTokens` tells what the others include. */
export type SaidUsage = { readonly [K in keyof Counts | "totalTokens"]?: unknown };

/** Returns the count that a provider means, which may be a string of digits or have a fraction. It is undefined for a value that is not a
 *  count: below 0, not finite, or so large that a number is not exact. */
export function countOf(said: unknown): number | undefined {
  const count = typeof said === "string" && /^\d{1,15}$/.test(said) ? Number(said) : said;
  if (typeof count !== "number") return undefined;
  return count >= 0 && count <= Number.MAX_SAFE_INTEGER ? Math.ceil(count) : undefined;
}

/**
 * Returns the usage that a provider has said; undefined if none of it is a count.
 *
 * Tokens that were cached or written into the cache are within those of the prompt, and tokens of reasoning within those of the answer.
 * They stand beside them, and are added, if they are more, if only then the counts make up the total, or if the API says so
 * (`isBeside`, of the prompt).
 */
export function usageFrom(said: SaidUsage, isBeside = false): Usage | undefined {
  const counts: Counts = {};
  for (const name of COUNTS) {
    const count = countOf(said[name]);
    if (count !== undefined) counts[name] = count;
  }
  return Object.keys(counts).length === 0 ? undefined : summed(counts, countOf(said.totalTokens), isBeside);
}

/** True for a usage that says nothing but what it must: most of them do. */
function isPlain(usage: Usage): boolean {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens, cost } = usage;
  return (
    Number.isSafeInteger(inputTokens) &&
    inputTokens! >= 0 &&
    Number.isSafeInteger(outputTokens) &&
    outputTokens! >= 0 &&
    cachedInputTokens === undefined &&
    cacheWriteTokens === undefined &&
    reasoningTokens === undefined &&
    cost === undefined
  );
}

/** Returns a usage whose cached and written tokens are within the prompt, and those of reasoning within the answer. What is not a count is
 *  left out. */
export function wholeUsage(usage: Usage): Usage {
  if (isPlain(usage)) return usage;
  const { durationMs, estimated, cost } = usage;
  return {
    ...usageFrom(usage),
    ...(durationMs !== undefined && { durationMs }),
    ...(estimated !== undefined && { estimated }),
    ...(cost !== undefined && cost >= 0 && { cost }),
  };
}

/** Returns the possible meanings of a count: itself, or the sum with what stands beside it. */
function meanings(count: number | undefined, part: number, isBeside: boolean): readonly number[] {
  if (count === undefined || part === 0) return [count ?? 0];
  return isBeside || part > count ? [count + part] : [count, count + part];
}

function summed(counts: Counts, total: number | undefined, isBeside: boolean): Usage {
  const {
    inputTokens,
    outputTokens,
    cachedInputTokens = 0,
    cacheWriteTokens = 0,
    reasoningTokens = 0,
  } = counts;
  const inputs = meanings(inputTokens, cachedInputTokens + cacheWriteTokens, isBeside);
  const outputs = meanings(outputTokens, reasoningTokens, false);
  const pairs = inputs.flatMap((input) => outputs.map((output) => [input, output] as const));
  const [input, output] = pairs.find(([one, other]) => one + other === total) ?? pairs[0]!;
  return {
    ...counts,
    ...(inputTokens !== undefined && { inputTokens: input }),
    ...(outputTokens !== undefined && { outputTokens: output }),
  };
}

/**
 * Adds what a later part of the same answer says to its usage.
 *
 * Counts of the prompt are those of one request: the largest one counts. Counts of the answer grow with it, so that the largest one
 * counts too; one that is smaller than the one before is not a sum but what was added, and from then on all are added.
 */
export class UsageSum {
  #largest: Counts = {};
  #last: Counts = {};
  #sums: Counts = {};
  readonly #isSummed = new Set<keyof Counts>();
  #rest: Usage = {};
  #first: Usage | undefined;
  #count = 0;

  add(said: Usage): void {
    // most answers have one, of which no sum is needed
    if (this.#count++ === 0) this.#first = said;
    else {
      if (this.#count === 2) this.#add(this.#first!);
      this.#add(said);
    }
  }

  #add(said: Usage): void {
    const { durationMs, estimated, cost } = wholeUsage(said);
    this.#rest = {
      ...this.#rest,
      ...(durationMs !== undefined && { durationMs }),
      ...(estimated !== undefined && { estimated }),
      ...(cost !== undefined && { cost }),
    };
    for (const name of COUNTS) {
      const count = countOf(said[name]);
      if (count === undefined) continue;
      const grows = name === "outputTokens" || name === "reasoningTokens";
      if (grows && count < (this.#last[name] ?? 0)) this.#isSummed.add(name);
      this.#last[name] = count;
      this.#sums[name] = (this.#sums[name] ?? 0) + count;
      this.#largest[name] = Math.max(this.#largest[name] ?? 0, count);
    }
  }

  /** The usage so far. */
  get all(): Usage {
    if (this.#count === 1) return wholeUsage(this.#first!);
    const summedUp = [...this.#isSummed].map((name) => [name, this.#sums[name]!]);
    return wholeUsage({ ...this.#rest, ...this.#largest, ...Object.fromEntries(summedUp) });
  }
}
