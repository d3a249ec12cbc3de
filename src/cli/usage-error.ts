/** The command line cannot be understood: its message says why, in one line. The exit code is 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
