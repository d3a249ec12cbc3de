import type { AgentConfig } from "../agent/types.ts";
import { toolResultsOf } from "../message/query.ts";
import type { JsonObject } from "../base/json.ts";
import type { Msg } from "../message/types.ts";
import { dueTime } from "../store/due.ts";
import type { SessionInfo, SessionInput } from "../store/port.ts";
import { readPosition } from "../store/position.ts";

/** What of a session's standing says whether an input can be taken. */
type RestState = Pick<SessionInfo, "phase" | "waitsFor">;

/** Whether text waits in the inbox while calls are open; an agent that says what becomes of it is left to do so. */
export function defersText({ onTextWhilePending }: Pick<AgentConfig, "onTextWhilePending">): boolean {
  return onTextWhilePending === undefined;
}

/** Whether an input is text that must wait until nothing is open. */
export function isDeferred({ data }: SessionInput, { phase, waitsFor }: RestState): boolean {
  if (phase !== "suspended" || waitsFor.includes("budget") || (data["kind"] ?? "call") !== "call")
    return false;
  const messages = Array.isArray(data["messages"]) ? (data["messages"] as unknown as readonly Msg[]) : [];
  const isWhole = messages.every((message) => Array.isArray(message?.content));
  return isWhole && messages.length > 0 && !messages.some((message) => toolResultsOf(message).length > 0);
}

/** Whether there is anything to do in a session, without opening it. */
export function hasWork(
  position: JsonObject | undefined,
  inputs: readonly SessionInput[],
  now: number,
  isBlocked: (input: SessionInput, standing: RestState) => boolean = () => false,
): boolean {
  if (!position) return inputs.some((input) => dueTime(input) <= now);
  const standing = readPosition(position);
  const { phase, wakeAt = Number.POSITIVE_INFINITY } = standing;
  if (phase === "quarantined") return false;
  if (phase === "running" || phase === "unfinished" || wakeAt <= now) return true;
  return inputs.some((input) => dueTime(input) <= now && !isBlocked(input, standing));
}
