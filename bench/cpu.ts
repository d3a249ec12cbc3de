/** With BENCH_SMOKE=1 each script runs once through as little as it can, to show that it works; its figures mean nothing then. */
export const IS_SMOKE = process.env["BENCH_SMOKE"] === "1";

/** CPU µs of this process, all threads, while `run` ran. */
export async function cpuMicros(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Samples of each variant, taken in turns so that what else the machine does hits all of them alike. The first
 *  `warmUp` rounds are not kept. */
export async function inTurns<Name extends string>(
  variants: { readonly [N in Name]: () => Promise<number> },
  options: { readonly samples: number; readonly warmUp: number },
): Promise<{ readonly [N in Name]: readonly number[] }> {
  const { samples, warmUp } = IS_SMOKE ? { samples: 1, warmUp: 0 } : options;
  const names = Object.keys(variants) as Name[];
  const taken = Object.fromEntries(names.map((name) => [name, []])) as unknown as { [N in Name]: number[] };
  for (let round = 0; round < warmUp + samples; round++) {
    for (const name of names) {
      const value = await variants[name]();
      if (round >= warmUp) taken[name].push(value);
    }
  }
  return taken;
}

/** What samples come to at the speed that the machine had in the least sample of `reference`, which does the same each time:
 *  each is taken as a ratio to the one of the same round. A shared machine changes its speed within seconds. */
export function atBestSpeed(samples: readonly number[], reference: readonly number[]): number {
  return median(samples.map((value, index) => value / reference[index]!)) * Math.min(...reference);
}
