import type { AgentConfig } from "../agent/options/agent-config.ts";
import { toolResultsOf } from "../core/message/query.ts";
import type { JsonObject } from "../core/base/json.ts";
import type { Msg } from "../core/message/types.ts";
import { dueTime } from "../store/due.ts";
import type { SessionInfo, SessionInput } from "../store/port.ts";
import { readPosition } from "../store/position.ts";

/** The part of a session's position that decides whether an input can be processed. */
type RestState = Pick<SessionInfo, "phase" | "waitsFor">;

/** While which calls are open text stays in the inbox: any, or those that wait for a decision. */
export type TextWaits = "open" | "undecided" | "never";

/** The conditions for which a call waits that must be decided before the turn takes anything else. */
const UNDECIDED: ReadonlySet<string> = new Set(["approval", "answer", "unknownOutcome"]);

/** Returns for which calls text waits: all, if the agent has no `turnOptions.onTextWhilePending` of its own, and none if that is "refuse". No text
 *  can be queued behind calls that wait for a decision, or cancel them. */
export function textWaits({ turnOptions }: Pick<AgentConfig, "turnOptions">): TextWaits {
  const onTextWhilePending = turnOptions?.onTextWhilePending;
  if (onTextWhilePending === undefined) return "open";
  return onTextWhilePending === "refuse" ? "never" : "undecided";
}

/** True for an input that cannot be processed yet: a report of a turn that has not ended, or text while calls are open for which it
 *  waits. */
export function isDeferred(
  { data }: SessionInput,
  { phase, waitsFor }: RestState,
  waits: TextWaits,
): boolean {
  const { kind = "call" } = data;
  if (kind === "report") return phase !== "stopped";
  if (kind === "notify") return phase === "suspended";
  if (kind !== "call" || waits === "never" || phase !== "suspended" || waitsFor.includes("budget"))
    return false;
  if (waits === "undecided" && !waitsFor.some((each) => UNDECIDED.has(each))) return false;
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
