import { commandAndSay, seen } from "./commands.ts";

/** The turn stops at its next commit point; nothing is lost. */
export const pauseRun = (): void =>
  void commandAndSay({ type: "shutdown" }, "It stops at the next commit point.");
export const resumeRun = (): void => void commandAndSay({ type: "resume", ...seen() }, "It goes on.");
