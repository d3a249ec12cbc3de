import { setTimeout as sleep } from "node:timers/promises";
import type { Fault, FaultyProxy } from "../../support/faulty-proxy.ts";

const FAULTS: readonly Fault[] = ["slow", "requests", "answers", "half-open"];

/** Returns random numbers from 0 to 1 that are the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A partition: what is cut off, how, for how long, and how long all is well after it. */
export type Partition = {
  readonly of: string;
  readonly fault: Fault;
  readonly lastsMs: number;
  readonly calmMs: number;
};

/** Returns every fault of everything that can be cut off once, in a random order, each for up to `longestMs`. */
export function partitionsOf(
  names: readonly string[],
  random: () => number,
  longestMs: number,
): readonly Partition[] {
  return names
    .flatMap((of) => FAULTS.map((fault) => ({ of, fault, place: random() })))
    .toSorted((a, b) => a.place - b.place)
    .map(({ of, fault }) => ({
      of,
      fault,
      lastsMs: Math.round(200 + random() * (longestMs - 200)),
      calmMs: Math.round(100 + random() * 300),
    }));
}

/** Lets the partitions happen one after the other. `linksOf`: what each cuts off. */
export async function happen(
  partitions: readonly Partition[],
  linksOf: { readonly [name: string]: readonly FaultyProxy[] },
): Promise<void> {
  for (const { of, fault, lastsMs, calmMs } of partitions) {
    const links = linksOf[of]!;
    for (const link of links) link.fail(fault);
    await sleep(lastsMs);
    for (const link of links) link.restore();
    await sleep(calmMs);
  }
}
