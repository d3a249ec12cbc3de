import { isLoopback } from "../inspect/hub/access-policy.ts";
import { startHub } from "../inspect/hub/start-hub.ts";
import { onSignal } from "./on-signal.ts";
import { withStore } from "./open-store.ts";
import type { GivenFlags } from "./read-flags.ts";
import type { Surroundings } from "./surroundings.ts";
import { UsageError } from "./usage-error.ts";
import { countOf, noWords } from "./words.ts";

const MOST_PORTS = 65_535;

/** `agentchart inspect`: serves the visualizer until a signal ends it. Gives the exit code. */
export async function inspectCommand(
  flags: GivenFlags,
  { stdout, terminal, exit }: Surroundings,
): Promise<number> {
  noWords(flags);
  const port = countOf(flags, "port") ?? 0;
  if (port > MOST_PORTS) throw new UsageError(`"--port" must be at most ${MOST_PORTS}, not "${port}".`);
  const host = flags.text("host");
  return withStore(flags.text("store"), async (store) => {
    await store.list({ limit: 1 }); // one that cannot be reached is said here, not in the page
    const hub = await startHub({
      port,
      ...(host !== undefined && { host }),
      store,
      files: flags.texts("open"),
      readonly: flags.has("readonly"),
    });
    if (host !== undefined && !isLoopback(host))
      terminal.warn(`Other machines can reach ${host}: whoever has the link sees everything and can answer.`);
    const isOver = ended(exit);
    stdout.write(`${hub.link}\n`);
    terminal.note('Agents made with createAgent({ inspect: "auto" }) appear there. Ctrl-C ends it.');
    await isOver;
    await hub.close();
    return 0;
  });
}

/** Ends with the first signal; a second one ends the process. */
async function ended(exit: (code: number) => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = (): boolean => {
    resolve();
    return true;
  };
  const stops = (["SIGINT", "SIGTERM"] as const).map((signal) => onSignal(signal, end, () => exit(130)));
  await promise;
  for (const stop of stops) stop();
}
