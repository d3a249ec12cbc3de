import { onSignal } from "../on-signal.ts";

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/** Resolves at the first SIGTERM or SIGINT. The next one ends the process immediately, with 143 or 130. */
export function shutdownSignal(exit: (code: number) => void): Promise<keyof typeof EXIT_CODES> {
  const { promise, resolve } = Promise.withResolvers<keyof typeof EXIT_CODES>();
  let isFirst = true;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    const onFirst = (): boolean => {
      const wasFirst = isFirst;
      isFirst = false;
      resolve(signal);
      return wasFirst;
    };
    onSignal(signal, onFirst, () => exit(EXIT_CODES[signal]));
  }
  return promise;
}
