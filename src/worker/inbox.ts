import type { AgentConfig } from "../agent/options/agent-config.ts";
import { toolResultsOf } from "../core/message/query.ts";
import type { JsonObject, Json } from "../core/base/json.ts";
import type { Msg } from "../core/message/types.ts";
import { dueTime, readPosition } from "../store/position.ts";
import type { SessionInfo, SessionInput } from "../store/port.ts";
import { checkDecision, checkLimits } from "../agent/options/call-schema.ts";
import { AgentError } from "../core/base/error.ts";
import type { ClientTool } from "../core/tool/declared-tools.ts";
import type { Decision } from "../core/tool/pending.ts";
import type { Limits } from "../../machines/agent/limits.ts";

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

/** The data of an input in a session's inbox. */
export type InboxCommand = { /** Epoch ms when it was dispatched. */ readonly at: number } & (
  | {
      readonly kind: "call";
      readonly messages: readonly Msg[];
      readonly agent?: string;
      readonly meta?: JsonObject;
      /** The tools that the client has declared; those that the agent lists count. */
      readonly clientTools?: readonly ClientTool[];
      /** The session that is told how the turn has ended. */
      readonly reportTo?: string;
    }
  /** A turn that another session has asked for is to be reported to it, once it has ended. */
  | { readonly kind: "report"; readonly to: string; /** The input of the turn. */ readonly of: string }
  /** A message for the running turn, or else for a new one. */
  | { readonly kind: "notify"; readonly message: Msg }
  | {
      readonly kind: "decide";
      readonly callId: string;
      readonly decision: Decision;
      readonly argsHash?: string;
      readonly by?: string;
    }
  | { readonly kind: "interrupt"; readonly message?: Msg }
  | { readonly kind: "steer"; readonly message: Msg }
  | { readonly kind: "extendBudget"; readonly extra: Limits }
  | {
      readonly kind: "setSlot";
      readonly name: string;
      readonly value: Json;
      /** The revision that was seen. */
      readonly revision?: number;
    }
  | { readonly kind: "compact"; readonly instructions?: string }
  | { readonly kind: "cancel" }
);

/** The kind of an {@link InboxCommand}. */
export type InboxCommandKind = InboxCommand["kind"];

/** The fields that each kind must have, and their types. */
const SHAPES: { readonly [kind in InboxCommandKind]: { readonly [field: string]: string } } = {
  call: { messages: "object" },
  report: { to: "string", of: "string" },
  notify: { message: "object" },
  decide: { callId: "string" },
  interrupt: {},
  steer: { message: "object" },
  extendBudget: { extra: "object" },
  setSlot: { name: "string" },
  compact: {},
  cancel: {},
};

/** Parses the data of an input. Data without a kind is a call that an agent has put there. Throws `message/invalid`. */
export function parseCommand(data: JsonObject): InboxCommand {
  const { kind = "call", at = 0 } = data;
  const shape = Object.hasOwn(SHAPES, String(kind)) ? SHAPES[kind as InboxCommandKind] : undefined;
  const isWhole =
    shape &&
    Object.entries(shape).every(([field, type]) => typeof data[field] === type && data[field] !== null);
  if (!isWhole || typeof at !== "number") {
    throw new AgentError("message/invalid", "The input is not a command that this release supports.");
  }
  if (kind === "decide") checkDecision(data["decision"]);
  return { ...data, kind, at } as unknown as InboxCommand;
}

/** Throws `config/invalid` unless `extra` has at least one limit and all are finite: JSON cannot hold infinity. */
export function checkBudgetExtension(extra: Limits): void {
  checkLimits(extra, "extendBudget");
  const limits = Object.values(extra);
  if (limits.length === 0 || !limits.every(Number.isFinite))
    throw new AgentError(
      "config/invalid",
      "extendBudget: expected at least one limit, and finite limits only.",
    );
}

/** Returns a command as the data of an input. */
export function commandData(command: InboxCommand): JsonObject {
  return JSON.parse(JSON.stringify(command)) as JsonObject;
}
