import { sendAndNotify, expectRevision } from "./commands.ts";

/** Stops the turn at its next commit point; no work is lost. */
export const pauseRun = (): void =>
  void sendAndNotify({ type: "shutdown" }, "The run stops at the next commit point.");
/** Resumes the selected run. */
export const resumeRun = (): void =>
  void sendAndNotify({ type: "resume", ...expectRevision() }, "The run continues.");
