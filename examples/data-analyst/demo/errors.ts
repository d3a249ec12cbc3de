/** A command line that cannot be understood. Its message is the one line that says what to type instead. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Something the person at the terminal can put right. Its message is the one line that says how. */
export class InputError extends Error {
  override readonly name = "InputError";
}
