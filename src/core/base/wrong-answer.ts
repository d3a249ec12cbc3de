/** Returns what is wrong with a value that a function of the user returned. The rejection of a promise that it returned is ignored. */
export function wrongAnswer(whose: string, returned: unknown, expected: string): string {
  const isPromise = returned instanceof Promise;
  if (isPromise) returned.catch(() => {});
  const shown = isPromise
    ? "a promise"
    : typeof returned === "string"
      ? JSON.stringify(returned)
      : String(returned);
  return `${whose} gave ${shown}; expected ${expected}`;
}

/** Returns what a predicate of the user gave. Throws for what is neither true nor false. */
export function truth(whose: string, returned: unknown): boolean {
  if (typeof returned === "boolean") return returned;
  throw new TypeError(wrongAnswer(whose, returned, "true or false"));
}
