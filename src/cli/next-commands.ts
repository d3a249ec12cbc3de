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
  const [accept, refuse] = [open.flatMap(acceptFlags), open.flatMap(refuseFlags)];
  const mayHaveRun = open.some(({ waitsFor }) => waitsFor === "unknownOutcome");
  terminal.hint(`${mayHaveRun ? "If the call ran, continue with" : "Continue with"}: ${resume(accept)}`);
  if (accept.join(" ") !== refuse.join(" ")) {
    terminal.hint(
      `${mayHaveRun ? "If it did not run, or may run twice, retry with" : "Or deny with"}: ${resume(refuse)}`,
    );
  }
}

function acceptFlags({ callId, waitsFor }: PendingCall): string[] {
  switch (waitsFor) {
    case "approval":
      return [shellFlag("--approve", callId)];
    case "stopRequested":
      return [];
    default:
      return [shellFlag("--answer", `${callId}=TEXT`)];
  }
}

function refuseFlags({ callId, waitsFor }: PendingCall): string[] {
  switch (waitsFor) {
    case "unknownOutcome":
      return [shellFlag("--retry", callId)];
    case "externalResult":
      return [shellFlag("--answer", `${callId}=TEXT`)];
    default:
      return [shellFlag("--deny", callId)];
  }
}
