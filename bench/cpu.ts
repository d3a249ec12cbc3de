/** With BENCH_SMOKE=1 each script runs once through as little as it can, to show that it works; its figures mean nothing then. */
export const IS_SMOKE = process.env["BENCH_SMOKE"] === "1";

/** CPU µs of this process, all threads, while `run` ran. */
export async function cpuMicros(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Returns a quantile of samples: 0.5 is the median, 0.25 and 0.75 the quartiles. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)]!;
  return low + (sorted[Math.ceil(at)]! - low) * (at - Math.floor(at));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** `a` over `b`, round by round: what else the machine did at the time falls out. */
export function ratios(a: readonly number[], b: readonly number[]): readonly number[] {
  return a.map((value, index) => value / b[index]!);
}

/** How long a variant is measured. */
export type Sampling = {
  /** Samples of each variant that are kept. */
  readonly samples: number;
  /** CPU ms that each variant works before that: a busy machine compiles as much in it as an idle one, which is not so of time on the
   *  wall or of a number of rounds. */
  readonly warmUpMs: number;
  /** A sample is the mean of as many runs as take so many CPU ms; default 0: of one. Short runs need some: in a few ms, all of a
   *  collection of garbage is counted or none, and much of the time goes into bringing code into the caches again. */
  readonly sampleMs?: number;
};

/** Returns the mean of what `run` returns, over as many runs as take `least` CPU µs. */
async function meanOf(run: () => Promise<number>, least: number): Promise<number> {
  let sum = 0;
  let count = 0;
  let spent = 0;
  do {
    spent += await cpuMicros(async () => void (sum += await run()));
    count++;
  } while (spent < least);
  return sum / count;
}

/** Samples of each variant, taken in turns so that what else the machine does hits all of them alike. Each round begins with another
 *  one, so that none always pays for the garbage of the same neighbour. */
export async function inTurns<Name extends string>(
  variants: { readonly [N in Name]: () => Promise<number> },
  sampling: Sampling,
): Promise<{ readonly [N in Name]: readonly number[] }> {
  const { samples, warmUpMs, sampleMs = 0 } = IS_SMOKE ? { samples: 1, warmUpMs: 0 } : sampling;
  const names = Object.keys(variants) as Name[];
  for (const name of names)
    for (let spent = 0; spent < warmUpMs * 1_000;) spent += await cpuMicros(variants[name]);
  const taken = Object.fromEntries(names.map((name) => [name, []])) as unknown as { [N in Name]: number[] };
  for (let round = 0; round < samples; round++) {
    const first = round % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)])
      taken[name].push(await meanOf(variants[name], sampleMs * 1_000));
  }
  return taken;
}
