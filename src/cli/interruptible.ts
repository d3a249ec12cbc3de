import type { CliIo } from "./cli-io.ts";
import { onSignal } from "./on-signal.ts";

/** Runs a work that a signal aborts: Ctrl-C or SIGTERM. The second one ends the process with 130. */
export async function interruptible<T>(
  { exit, terminal }: CliIo,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const abort = (): boolean => (stop.abort(), true);
  const removers = (["SIGINT", "SIGTERM"] as const).map((signal) => onSignal(signal, abort, () => exit(130)));
  try {
    return await work(stop.signal);
  } finally {
    terminal.status("");
    for (const remove of removers) remove();
  }
}
