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

/** How many samples are kept, and how many ms of CPU each variant works before that: a busy machine compiles as much in it as an idle
 *  one, which is not so of time on the wall or of a number of rounds. */
export type Sampling = { readonly samples: number; readonly warmUpMs: number };

/** Samples of each variant, taken in turns so that what else the machine does hits all of them alike. Each round begins with another
 *  one, so that none always pays for the garbage of the same neighbour. */
export async function inTurns<Name extends string>(
  variants: { readonly [N in Name]: () => Promise<number> },
  sampling: Sampling,
): Promise<{ readonly [N in Name]: readonly number[] }> {
  const { samples, warmUpMs } = IS_SMOKE ? { samples: 1, warmUpMs: 0 } : sampling;
  const names = Object.keys(variants) as Name[];
  for (const name of names)
    for (let spent = 0; spent < warmUpMs * 1_000;) spent += await cpuMicros(variants[name]);
  const taken = Object.fromEntries(names.map((name) => [name, []])) as unknown as { [N in Name]: number[] };
  for (let round = 0; round < samples; round++) {
    const first = round % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)])
      taken[name].push(await variants[name]());
  }
  return taken;
}
