import { sendAndNotify, expectRevision } from "./commands.ts";
import { t } from "../words/t.ts";

/** Stops the turn at its next commit point; no work is lost. */
export const pauseRun = (): void =>
  void sendAndNotify({ type: "shutdown" }, t("The run stops at the next commit point."));
/** Resumes the selected run. */
export const resumeRun = (): void =>
  void sendAndNotify({ type: "resume", ...expectRevision() }, t("The run continues."));
