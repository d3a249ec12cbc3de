import { AgentError, errorInfo } from "../../base/error.ts";
import type { Ack } from "./protocol.ts";

/** How a command ended, without its id. */
export type Outcome = Omit<Ack, "id">;

export function refused(code: NonNullable<Ack["error"]>["code"], message: string): Outcome {
  return { ok: false, error: { code, message } };
}

/** What was thrown as the end of a command. */
export function failed(thrown: unknown): Outcome {
  if (AgentError.is(thrown) && thrown.code === "run/stale-decision") return refused("stale", thrown.message);
  const { code, message } = errorInfo(thrown, "run/invalid-event");
  return refused(code, message);
}
