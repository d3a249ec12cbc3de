import type { Environment, Output, Terminal } from "./terminal.ts";

/** Where a command writes and what it may read. */
export type Surroundings = {
  readonly stdout: Output;
  readonly terminal: Terminal;
  readonly env: Environment;
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
};
