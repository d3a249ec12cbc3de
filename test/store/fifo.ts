import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, rmSync } from "node:fs";

/** A file whose readers get no answer until `answer` is called: a named pipe. */
export type HungFile = { answer(): void };

/** Puts a file that hangs in the place of another one. */
export function hang(path: string): HungFile {
  rmSync(path, { force: true });
  execFileSync("mkfifo", [path]);
  return {
    answer() {
      // Fails if nobody reads it. Whoever does finds it empty.
      try {
        closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
      } catch {
        // nobody reads it
      }
    },
  };
}
