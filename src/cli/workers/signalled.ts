import { onSignal } from "../on-signal.ts";

const CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/** Ends at the first SIGTERM or SIGINT. The next one ends the process at once, with 143 or 130. */
export function signalled(exit: (code: number) => void): Promise<keyof typeof CODES> {
  const { promise, resolve } = Promise.withResolvers<keyof typeof CODES>();
  let isFirst = true;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    const first = (): boolean => {
      const wasFirst = isFirst;
      isFirst = false;
      resolve(signal);
      return wasFirst;
    };
    onSignal(signal, first, () => exit(CODES[signal]));
  }
  return promise;
}
