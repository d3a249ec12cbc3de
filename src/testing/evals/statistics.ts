import type { Rate } from "./types.ts";

/** The quantile of the normal distribution for 95 %, both sides. */
const Z = 1.959963984540054;

/** Returns the share of `passed` in `runs` with its Wilson score interval at 95 %. `runs` is at least 1. */
export function wilson(passed: number, runs: number): Rate {
  const rate = passed / runs;
  const z2 = Z * Z;
  const middle = rate + z2 / (2 * runs);
  const half = Z * Math.sqrt((rate * (1 - rate) + z2 / (4 * runs)) / runs);
  const scale = 1 + z2 / runs;
  return {
    rate,
    low: passed === 0 ? 0 : Math.max(0, (middle - half) / scale),
    high: passed === runs ? 1 : Math.min(1, (middle + half) / scale),
  };
}

/** Returns the sum of counts; undefined if one is not known. */
export const totalOf = (counts: readonly (number | undefined)[]): number | undefined =>
  counts.reduce((sum, count) => (sum === undefined || count === undefined ? undefined : sum + count), 0);

/** The chance that `k` runs, drawn without replacement from `runs`, are all among `chosen` of them. */
function allOf(k: number, runs: number, chosen: number): number {
  let chance = 1;
  for (let i = 0; i < k; i++) chance *= Math.max(0, chosen - i) / (runs - i);
  return chance;
}

/** Returns pass@k, the chance that one of `k` runs passes, estimated without bias from `runs` of which `passed` passed; k ≤ runs. */
export const passAnyOf = (k: number, runs: number, passed: number): number =>
  1 - allOf(k, runs, runs - passed);

/** Returns pass^k, the chance that all of `k` runs pass, estimated without bias as {@link passAnyOf}. */
export const passAllOf = (k: number, runs: number, passed: number): number => allOf(k, runs, passed);

/** Returns the two-sided p-value of McNemar's exact test for pairs of which `better` changed in one way and `worse` in the other. */
export function mcNemar(better: number, worse: number): number {
  const changed = better + worse;
  if (changed === 0) return 1;
  let tail = 0;
  let term = -changed * Math.LN2; // the logarithm of the chance of i changes in one way
  for (let i = 0; i <= Math.min(better, worse); i++) {
    tail += Math.exp(term);
    term += Math.log((changed - i) / (i + 1));
  }
  return Math.min(1, 2 * tail);
}
