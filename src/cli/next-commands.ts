import type { Status } from "../agent/types.ts";
import type { PendingCall } from "../core/tool/pending.ts";
import { sessionCommand, type SessionTarget } from "./session-commands.ts";
import { shellFlag } from "./shell-quote.ts";
import type { Terminal } from "./terminal.ts";

/** Prints the commands that continue the session; none if it waits for the next question. */
export function printNextCommands(
  { phase, reason, pending }: Pick<Status, "phase" | "reason" | "pending">,
  target: SessionTarget,
  terminal: Terminal,
): void {
  const resume = (flags: readonly string[] = []): string => sessionCommand("sessions resume", target, flags);
  if (phase === "unfinished") terminal.hint(`Continue with: ${resume()}`);
  if (phase === "stopped" && reason === "ERROR") {
    terminal.hint(`The question is stored. Try again with: ${resume()}`);
  }
  if (phase !== "suspended") return;
  const open = pending.filter(({ decided }) => !decided);
  const accept = open.flatMap(({ callId, waitsFor }) => flagFor(callId, ACCEPT[waitsFor]));
  const refuse = open.flatMap(({ callId, waitsFor }) => flagFor(callId, REFUSE[waitsFor]));
  const mayHaveRun = open.some(({ waitsFor }) => waitsFor === "unknownOutcome");
  terminal.hint(`${mayHaveRun ? "If the call ran, continue with" : "Continue with"}: ${resume(accept)}`);
  if (accept.join(" ") !== refuse.join(" ")) {
    terminal.hint(
      `${mayHaveRun ? "If it did not run, or may run twice, retry with" : "Or deny with"}: ${resume(refuse)}`,
    );
  }
}

type Flags = { readonly [waitsFor in PendingCall["waitsFor"]]: `--${string}` | undefined };

/** The flags that let a call go on, and those that do not. */
const ACCEPT: Flags = {
  approval: "--approve",
  stopRequested: undefined,
  answer: "--answer",
  externalResult: "--answer",
  unknownOutcome: "--answer",
};
const REFUSE: Flags = {
  approval: "--deny",
  stopRequested: "--deny",
  answer: "--deny",
  externalResult: "--answer",
  unknownOutcome: "--retry",
};

function flagFor(callId: string, flag: string | undefined): string[] {
  if (flag === undefined) return [];
  return [shellFlag(flag, flag === "--answer" ? `${callId}=TEXT` : callId)];
}
