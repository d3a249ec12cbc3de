import type { Environment, Output, Terminal } from "./terminal.ts";

/** The streams and the environment of the process that a command runs in. */
export type CliIo = {
  readonly stdout: Output;
  readonly terminal: Terminal;
  readonly env: Environment;
  /** Ends the process immediately. */
  readonly exit: (code: number) => void;
};
