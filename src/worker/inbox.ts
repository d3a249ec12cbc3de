import type { AgentConfig } from "../agent/agent-config.ts";
import { toolResultsOf } from "../message/query.ts";
import type { JsonObject } from "../base/json.ts";
import type { Msg } from "../message/types.ts";
import { dueTime } from "../store/due.ts";
import type { SessionInfo, SessionInput } from "../store/port.ts";
import { readPosition } from "../store/position.ts";

/** The part of a session's position that decides whether an input can be processed. */
type RestState = Pick<SessionInfo, "phase" | "waitsFor">;

/** True if text stays in the inbox while calls are open: the agent has no `onTextWhilePending` of its own. */
export function defersText({ onTextWhilePending }: Pick<AgentConfig, "onTextWhilePending">): boolean {
  return onTextWhilePending === undefined;
}

/** True for an input that cannot be processed yet: a report of a turn that has not ended, or, if `defers`, text while calls are open. */
export function isDeferred({ data }: SessionInput, { phase, waitsFor }: RestState, defers: boolean): boolean {
  const { kind = "call" } = data;
  if (kind === "report") return phase !== "stopped";
  if (kind === "notify") return phase === "suspended";
  if (kind !== "call" || !defers || phase !== "suspended" || waitsFor.includes("budget")) return false;
  const messages = Array.isArray(data["messages"]) ? (data["messages"] as unknown as readonly Msg[]) : [];
  const isWhole = messages.every((message) => Array.isArray(message?.content));
  return isWhole && messages.length > 0 && !messages.some((message) => toolResultsOf(message).length > 0);
}

/** True if there is anything to do in a session; it need not be opened for that. `isBlocked`: the input cannot be processed yet. */
export function hasWork(
  position: JsonObject | undefined,
  inputs: readonly SessionInput[],
  now: number,
  isBlocked: (input: SessionInput, state: RestState) => boolean = () => false,
): boolean {
  if (!position) return inputs.some((input) => dueTime(input) <= now);
  const state = readPosition(position);
  const { phase, wakeAt = Number.POSITIVE_INFINITY } = state;
  if (phase === "quarantined") return false;
  if (phase === "running" || phase === "unfinished" || wakeAt <= now) return true;
  return inputs.some((input) => dueTime(input) <= now && !isBlocked(input, state));
}
