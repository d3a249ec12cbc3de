import type { Status } from "../agent/types.ts";
import type { PendingCall } from "../tool/pending.ts";
import { shellFlag } from "./shell-words.ts";
import { sessionCommand, type SessionLine } from "./stored-session.ts";
import type { Terminal } from "./terminal.ts";

/** Prints the commands with which a session can go on; nothing for one that waits for the next question. */
export function sayHowToGoOn(
  { phase, reason, pending }: Pick<Status, "phase" | "reason" | "pending">,
  session: SessionLine,
  terminal: Terminal,
): void {
  const resume = (flags: readonly string[] = []): string => sessionCommand("resume", session, flags);
  if (phase === "unfinished") terminal.hint(`Go on with: ${resume()}`);
  if (phase === "stopped" && reason === "ERROR") {
    terminal.hint(`What was asked is kept. Try again with: ${resume()}`);
  }
  if (phase !== "suspended") return;
  const open = pending.filter(({ decided }) => !decided);
  const [yes, no] = [open.flatMap(affirmed), open.flatMap(refused)];
  const mayHaveRun = open.some(({ waitsFor }) => waitsFor === "unknownOutcome");
  terminal.hint(`${mayHaveRun ? "If it did run, go on with" : "Go on with"}: ${resume(yes)}`);
  if (yes.join(" ") !== no.join(" ")) {
    terminal.hint(`${mayHaveRun ? "If it did not, or may run twice" : "Or refuse with"}: ${resume(no)}`);
  }
}

function affirmed({ callId, waitsFor }: PendingCall): string[] {
  switch (waitsFor) {
    case "approval":
      return [shellFlag("approve", callId)];
    case "stopRequested":
      return [];
    default:
      return [shellFlag("answer", `${callId}=TEXT`)];
  }
}

function refused({ callId, waitsFor }: PendingCall): string[] {
  switch (waitsFor) {
    case "unknownOutcome":
      return [shellFlag("retry", callId)];
    case "externalResult":
      return [shellFlag("answer", `${callId}=TEXT`)];
    default:
      return [shellFlag("deny", callId)];
  }
}
