import type { AgentConfig } from "../agent/options/agent-config.ts";
import { toolResultsOf } from "../core/message/msg.ts";
import type { JsonObject, Json } from "../core/base/json.ts";
import type { Msg } from "../core/message/types.ts";
import { LEASED_INPUTS } from "../store/lease.ts";
import { dueTime, readPosition } from "../store/shared.ts";
import type {
  AcquiredSession,
  SessionInfo,
  SessionInput,
  SessionStore,
  Lease,
  LoadedSession,
  PeekedSession,
} from "../store/port.ts";
import { checkDecision, checkLimits } from "../agent/options/call-schema.ts";
import { AgentError, configError } from "../core/base/error.ts";
import type { ClientTool } from "../core/tool/declared-tools.ts";
import { waitsBeforeRequest, type Decision } from "../core/tool/pending.ts";
import type { Limits } from "../../machines/agent/limits.ts";
import { readPending } from "../session/newest-state.ts";
import type { SessionStatus, Quarantine } from "./types.ts";
import { quarantineReason } from "../session/format.ts";

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
 *  waits. Text waits while a breakpoint holds the next request, too: what goes on from there has none. */
export function isDeferred(
  { data }: SessionInput,
  { phase, waitsFor }: RestState,
  waits: TextWaits,
): boolean {
  const { kind = "call" } = data;
  if (kind === "report") return phase !== "stopped";
  if (kind === "notify") return phase === "suspended";
  if (kind !== "call" || phase !== "suspended" || waitsFor.includes("budget")) return false;
  const isHeld = waitsFor.includes("breakpoint");
  if (waits === "never" && !isHeld) return false;
  if (waits === "undecided" && !waitsFor.some((each) => UNDECIDED.has(each)) && !isHeld) return false;
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
      readonly agent?: string | undefined;
      readonly meta?: JsonObject | undefined;
      /** The tools that the client has declared; those that the agent lists count. */
      readonly clientTools?: readonly ClientTool[] | undefined;
      /** The session that is told how the turn has ended. */
      readonly reportTo?: string | undefined;
    }
  /** A turn that another session has asked for is to be reported to it, once it has ended. */
  | { readonly kind: "report"; readonly to: string; /** The input of the turn. */ readonly of: string }
  /** A message for the running turn, or else for a new one. */
  | { readonly kind: "notify"; readonly message: Msg }
  | {
      readonly kind: "decide";
      readonly callId: string;
      readonly decision: Decision;
      readonly argsHash?: string | undefined;
      readonly by?: string | undefined;
    }
  | { readonly kind: "interrupt"; readonly message?: Msg | undefined }
  | { readonly kind: "steer"; readonly message: Msg }
  | { readonly kind: "extendBudget"; readonly extra: Limits }
  | {
      readonly kind: "setSlot";
      readonly name: string;
      readonly value: Json;
      /** The revision that was seen. */
      readonly revision?: number | undefined;
    }
  | { readonly kind: "compact"; readonly instructions?: string | undefined }
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
    throw configError("extendBudget: expected at least one limit, and finite limits only.");
}

/** Returns a command as the data of an input, without what is undefined in it. */
export function commandData(command: InboxCommand): JsonObject {
  return JSON.parse(JSON.stringify(command)) as JsonObject;
}

/** {@link SessionStatus.inputs} counts up to this number. */
const MAX_INPUTS = 100;

/** Returns the labels of a session, the name of its agent among them: those of its position, else those of its first input. */
export function sessionMeta(position: JsonObject | undefined, inputs: readonly SessionInput[]): JsonObject {
  const known = readPosition(position ?? {}).meta;
  if (known && typeof known["agent"] === "string") return known;
  const first = inputs.find(({ data }) => typeof data["agent"] === "string")?.data ?? {};
  const { agent, meta } = first as { readonly agent?: string; readonly meta?: JsonObject };
  return { ...meta, ...known, ...(agent !== undefined && { agent }) };
}

/** Implements {@link Dispatcher.status}. */
export async function readStatus(store: SessionStore, sessionId: string): Promise<SessionStatus> {
  const inputs = await store.takeInputs(sessionId, MAX_INPUTS); // first: one that is gone has had its effect in what is loaded then
  const found = await store.load(sessionId);
  if (!found && inputs.length === 0) {
    throw new AgentError("session/not-found", `Session not found: ${sessionId}`);
  }
  const position = found?.position ?? { phase: "stopped" };
  const { phase, reason, waitsFor, wakeAt, error } = readPosition(position);
  const meta = sessionMeta(found?.position, inputs);
  const { agent } = meta as { readonly agent?: string };
  const pending = found && phase === "suspended" ? await readPending(store, sessionId, found) : [];
  const quarantine = quarantineOf(position);
  return {
    sessionId,
    ...(agent !== undefined && { agent }),
    phase,
    ...(reason !== undefined && { reason }),
    ...(error && { error }),
    waitsFor,
    pending: waitsBeforeRequest(waitsFor) ? [] : pending,
    seq: found?.seq ?? 0,
    ...(wakeAt !== undefined && { wakeAt }),
    meta,
    inputs: inputs.length,
    ...(quarantine && { quarantine }),
  };
}

/** The number of characters of a reason in a position, which must stay small. */
const MAX_REASON = 120;

/** Returns the quarantine that a position holds. */
export function quarantineOf(position: JsonObject | undefined): Quarantine | undefined {
  const reason = quarantineReason(position);
  if (reason === undefined) return undefined;
  const { at = 0 } = (position?.["quarantine"] ?? {}) as Partial<Quarantine>;
  return { reason, at };
}

async function setPosition(
  store: SessionStore,
  lease: Lease,
  found: LoadedSession | undefined,
  position: JsonObject,
): Promise<void> {
  const { sessionId, fence } = lease;
  await store.append(sessionId, { expectedSeq: found?.seq ?? 0, fence, entries: [], position });
}

/** Quarantines a session, without adding to its journal; `isHeld`: because its agent has changed. Returns false if it was quarantined before. */
export async function quarantine(
  store: SessionStore,
  lease: Lease,
  { reason, at, isHeld = false }: Quarantine & { readonly isHeld?: boolean },
  meta: JsonObject,
): Promise<boolean> {
  const found = await store.load(lease.sessionId);
  if (quarantineOf(found?.position)) return false;
  const { phase = "stopped", ...position } = found?.position ?? {};
  const note = { reason: reason.slice(0, MAX_REASON).toWellFormed(), at, phase, ...(isHeld && { isHeld }) };
  await setPosition(store, lease, found, { meta, ...position, phase: "quarantined", quarantine: note });
  return true;
}

/** Ends a quarantine: the session has its former phase, and one that was held is released to the agent that opens it next. Returns false if it was not quarantined. Rejects `session/damaged` if it
 *  is quarantined for a damaged journal. */
export async function endQuarantine(store: SessionStore, lease: Lease): Promise<boolean> {
  const { sessionId } = lease;
  const found = await store.load(sessionId);
  const known = quarantineOf(found?.position);
  if (!known) return false;
  const { quarantine: note, ...position } = found?.position ?? {};
  const { phase, isHeld } = (note ?? {}) as JsonObject;
  if (phase === undefined) {
    const message = `Session '${sessionId}' cannot be resumed, because its journal is damaged: ${known.reason}`;
    throw new AgentError("session/damaged", message, { data: { sessionId } });
  }
  await setPosition(store, lease, found, {
    ...position,
    phase,
    ...(isHeld === true && { isReleased: true }),
  });
  return true;
}

/** Peeks at a session, with two operations in a store that cannot do so in one. The position is read first: of an input that has been
 *  acknowledged meanwhile, the worst is that its session looks older than it is. */
export async function peekAt(store: SessionStore, sessionId: string, limit: number): Promise<PeekedSession> {
  if (store.peek) return store.peek(sessionId, limit);
  const found: LoadedSession | undefined = await store.load(sessionId);
  const inputs = limit > 0 ? await store.takeInputs(sessionId, limit) : [];
  return { ...(found && { position: found.position }), inputs };
}

/** Returns the position, and all inputs that are not acknowledged: one that can be processed may come after many that cannot. `found`: what
 *  came with the lease. */
export async function peekAll(
  store: SessionStore,
  sessionId: string,
  found?: AcquiredSession,
): Promise<PeekedSession> {
  const first = found
    ? { ...found.session, inputs: found.inputs }
    : await peekAt(store, sessionId, LEASED_INPUTS);
  if (first.inputs.length < LEASED_INPUTS) return first;
  return { ...first, inputs: await store.takeInputs(sessionId, Number.MAX_SAFE_INTEGER) };
}
