import { userInfo } from "node:os";
import { createInterface } from "node:readline";

/** Asks a question at the terminal; true if the person says yes. Ctrl-C and Ctrl-D say no. */
export async function confirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await new Promise<string | undefined>((resolve) => {
    lines.once("close", () => resolve(undefined));
    lines.question(question, resolve);
  });
  if (answer === undefined) process.stderr.write("\n");
  lines.close();
  return /^y(es)?$/i.test(answer?.trim() ?? "");
}

/** Returns {@link confirm} if a person is there to ask. */
export const askPerson = (): typeof confirm | undefined =>
  process.stdin.isTTY && process.stderr.isTTY ? confirm : undefined;

/** The name of the user who runs the command. A user without an entry in the system has none. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "operator";
  }
}
