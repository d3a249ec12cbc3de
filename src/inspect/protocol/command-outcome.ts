import { AgentError, errorInfo } from "../../core/base/error.ts";
import type { Ack } from "./commands.ts";

/** The outcome of a command: an {@link Ack} without the command's id. */
export type CommandOutcome = Omit<Ack, "id">;

/** The outcome of a command that was refused. */
export function refused(code: NonNullable<Ack["error"]>["code"], message: string): CommandOutcome {
  return { ok: false, error: { code, message } };
}

/** The outcome of a command that threw; `run/stale-decision` becomes `stale`. */
export function outcomeOfError(thrown: unknown): CommandOutcome {
  if (AgentError.is(thrown) && thrown.code === "run/stale-decision") return refused("stale", thrown.message);
  const { code, message } = errorInfo(thrown, "run/invalid-event");
  return refused(code, message);
}
