/** A wrong command line: the message says in one line what is wrong with it. The exit code is 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
