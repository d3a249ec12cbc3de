const TICK_MS = 5;

/**
 * Watches for how long the main thread runs without turning to anything else, in ms of its own CPU time: what other processes of the
 * machine take away does not count. `worst` is the longest such time since the start.
 */
export function watchMainThread(): { readonly worst: number; stop(): void } {
  const used = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let before = used();
  let worst = 0;
  const look = (): void => {
    const now = used();
    worst = Math.max(worst, now - before);
    before = now;
  };
  const timer = setInterval(look, TICK_MS);
  return {
    get worst() {
      look();
      return Math.round(worst);
    },
    stop: () => clearInterval(timer),
  };
}
