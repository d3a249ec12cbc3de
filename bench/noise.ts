import { cpus, loadavg } from "node:os";

/** How busy the machine was while something was measured. */
export type Noise = {
  /** The load of the last minute, before and after. */
  readonly load: readonly [number, number];
  /** The share of the machine that other processes used. */
  readonly others: number;
};

/** CPU ms that the machine has had since it was started, and how many of them were used. */
function spent(): { readonly all: number; readonly used: number } {
  let all = 0;
  let idle = 0;
  for (const { times } of cpus()) {
    all += times.user + times.nice + times.sys + times.irq + times.idle;
    idle += times.idle;
  }
  return { all, used: all - idle };
}

/** Begins to observe the machine; what is returned ends it, with the CPU µs of child processes that are not to count as others. */
export function observeNoise(): (children?: number) => Noise {
  const before = { ...spent(), load: loadavg()[0]!, own: process.cpuUsage() };
  return (children = 0) => {
    const after = spent();
    const { user, system } = process.cpuUsage(before.own);
    const all = Math.max(1, after.all - before.all);
    const others = after.used - before.used - (user + system + children) / 1_000;
    return { load: [before.load, loadavg()[0]!], others: Math.max(0, others / all) };
  };
}
