/** Something the person at the terminal can put right. Its message is the one line that says how. */
export class InputError extends Error {
  override readonly name = "InputError";
}
