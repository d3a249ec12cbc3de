/** The error that an adapter throws for tool calls of an answer that it cannot tell apart for certain. No call of the answer may run. */
export class UnclearCalls extends Error {
  /** @param problem what was expected and what was found, as the end of "The answer has tool calls that are unclear: …" */
  constructor(problem: string) {
    super(`has tool calls that are unclear: ${problem}`);
    this.name = "UnclearCalls";
  }
}
