import { isSame, type Json, type JsonObject } from "../../../src/core/base/json.ts";
import { hashInput } from "../../../src/core/base/hash.ts";
import type { Ask, PendingCall, Decision } from "../../../src/core/tool/pending.ts";
import type { Resumed } from "../../../src/core/tool/types.ts";
import type { AgentContext, Progress, TurnStats } from "../context.ts";
import type { CallRecord, CallResumption, Spent } from "../call-record.ts";
import { noted, recorded, recordedError, withAccount } from "../../../src/core/message/account.ts";
import type { Block, CallAccount, ChangedBy, ToolResultBlock } from "../../../src/core/message/types.ts";
import type { Cause } from "../events.ts";
import { LIMITS, type Limits } from "../limits.ts";
import { addUsage } from "../../../src/core/message/msg.ts";

/** The maximum number of times that a call may be suspended and go on. */
export const MAX_ROUNDS = 10;

type AskRecord = CallResumption["asks"][number];

/** The questions of a call that waits for their answers. */
export function asksOf({ status, resume }: CallRecord): readonly AskRecord[] {
  return status === "suspended" && resume ? resume.asks : [];
}

/** True if the call goes on only when a question is answered. */
export function hasOpenAsk(record: CallRecord): boolean {
  return asksOf(record).some(({ decided }) => decided === undefined);
}

const addressOf = ({ call }: CallRecord, { id }: Ask): string => `${call.id}/${id}`;

/** Returns the address of the subject of a decision. A question has that of its call and its own id, and the id of a call with one question
 *  alone stands for that. */
export function addressIn({ calls }: Pick<AgentContext, "calls">, given: string): string {
  const record = calls.find(({ call }) => call.id === given);
  const asks = record ? asksOf(record) : [];
  return asks.length === 1 ? addressOf(record!, asks[0]!.ask) : given;
}

/** The call with this address, or of the question with this address. */
export function recordAt({ calls }: Pick<AgentContext, "calls">, address: string): CallRecord | undefined {
  return calls.find(
    (record) =>
      record.call.id === address || asksOf(record).some(({ ask }) => addressOf(record, ask) === address),
  );
}

/** The time at which a question is cancelled for want of an answer: with its call, or with the call inside of it. */
function expiryOf({ expiresAt = Infinity }: CallRecord, { call }: Ask): number {
  return Math.min(expiresAt, call?.expiresAt ?? Infinity);
}

/** Returns the subject for which a question waits. */
function subjectOf({ call }: CallRecord, ask: Ask) {
  const { kind, schema, url, call: inner } = ask;
  if (inner) {
    const { name, input, waitsFor, answerSchema, ask: question, path = [] } = inner;
    const more = { ...(answerSchema && { answerSchema }), ...(question && { ask: question }) };
    return { name, input, waitsFor, ...more, path: [call.name, ...path] };
  }
  return {
    name: call.name,
    input: call.input,
    waitsFor: kind === "approval" ? ("approval" as const) : ("answer" as const),
    ...(schema && { answerSchema: schema }),
    ask: { kind, ...(url !== undefined && { url }) },
  };
}

/** The questions of a call as callers see them. Each is bound to its round: one with the same id may be asked again. */
export function pendingAsks(record: CallRecord): readonly PendingCall[] {
  const { since, resume } = record;
  return asksOf(record).map(({ ask, decided, decidedBy }): PendingCall => {
    const expiresAt = expiryOf(record, ask);
    return {
      callId: addressOf(record, ask),
      ...subjectOf(record, ask),
      argsHash: hashInput({ round: resume!.round, ask: ask as unknown as Json }),
      reason: ask.message,
      since,
      ...(expiresAt < Infinity && { expiresAt }),
      ...(decided && { decided }),
      ...(decidedBy !== undefined && { decidedBy }),
    };
  });
}

/** The call with the answer to its question at `address`. */
export function withAnswer(
  record: CallRecord,
  address: string,
  answer: Pick<AskRecord, "decided" | "decidedBy">,
): CallRecord {
  const asks = record.resume!.asks.map((each) =>
    addressOf(record, each.ask) === address ? { ask: each.ask, ...answer } : each,
  );
  return { ...record, resume: { ...record.resume!, asks } };
}

/** The call with the open questions cancelled that expire by `at`. */
export function withExpiredAsks(record: CallRecord, at: number): CallRecord {
  const asks = asksOf(record);
  const next = asks.map((each): AskRecord =>
    each.decided || expiryOf(record, each.ask) > at ? each : { ...each, decided: { cancel: true } },
  );
  const isSame = next.every((each, index) => each === asks[index]);
  return isSame ? record : { ...record, resume: { ...record.resume!, asks: next } };
}

/** Returns the data that the tool gets when the call goes on. */
export function resumedWith({ round, state, asks }: CallResumption): Resumed {
  return { round, state, answers: Object.fromEntries(asks.map(({ ask, decided }) => [ask.id, decided!])) };
}

/** The attempts of a call in this round: to go on is not to try again. */
export function attemptsOf({ attempt, resume }: CallRecord): number {
  return attempt - (resume?.attempts ?? 0);
}

/** The account of a call whose arguments somebody has changed to `input`. */
export function withChangedInput(
  { account, call }: Pick<CallRecord, "account" | "call">,
  by: ChangedBy,
  at: number,
  input: JsonObject,
): Pick<CallRecord, "account"> {
  const isChanged = call.rawInput !== undefined || !isSame(call.input, input);
  if (!isChanged) return account ? { account } : {};
  return { account: noted(account, "changed", { by, at, ...recorded("input", input) }) };
}

const KINDS = ["deny", "edit", "answer", "respond", "decline", "cancel", "approve"] as const;

function kindOf(decision: Decision): NonNullable<CallAccount["decided"]>[number]["decision"] {
  if (typeof decision === "string") return decision;
  return KINDS.find((kind) => kind in decision) ?? "approve";
}

/** The account of a call about which somebody has decided, or whose question `ask` was answered. */
export function withDecision(
  account: CallAccount | undefined,
  decision: Decision,
  {
    at,
    by,
    via,
    ask,
  }: { readonly at: number; readonly by?: string; readonly via?: Cause; readonly ask?: string },
): CallAccount {
  return noted(account, "decided", {
    at,
    decision: kindOf(decision),
    ...(by !== undefined && { by }),
    ...(via !== undefined && via !== "caller" && { via }),
    ...(ask !== undefined && { ask }),
  });
}

/** The account of a call that a hook has denied. */
export function withDenial(
  account: CallAccount | undefined,
  hook: string | undefined,
  at: number,
): CallAccount {
  return noted(account, "decided", { at, decision: "deny", ...(hook !== undefined && { hook }) });
}

/** The account of a call of which an attempt in `process` has failed and is repeated; without `endedAt`, its process ended while it ran. */
export function withFailedAttempt(
  { account, attempt, since }: CallRecord,
  process: string | undefined,
  result?: ToolResultBlock,
  endedAt?: number,
): CallAccount {
  const text =
    result?.output.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("") ??
    "Its process ended while it ran.";
  return noted(account, "attempts", {
    attempt,
    ...(process !== undefined && { process }),
    startedAt: since,
    ...(endedAt !== undefined && { endedAt }),
    ...(result?.code && { code: result.code }),
    error: recordedError(text),
  });
}

/** The account of a call of which another attempt begins in `process`. */
export function withNextAttempt(
  account: CallAccount | undefined,
  process: string | undefined,
): Pick<CallRecord, "account"> {
  return account?.attempts && process !== undefined ? { account: { ...account, process } } : {};
}

/** The record with its result, to which the account goes. */
export function answered({ account, ...record }: CallRecord, result: ToolResultBlock): CallRecord {
  return { ...record, result: withAccount(result, account) };
}

/** A result that a caller supplies is an answer, even if it still has the state "suspended" of the reply. What became of its call is known
 *  here. */
export function fromOutside(calls: readonly CallRecord[], block: Block): Block {
  if (block.type !== "tool_result") return block;
  const result = block.state === "suspended" ? { ...block, state: "success" as const } : block;
  return withAccount(result, calls.find(({ call }) => call.id === block.id)?.account);
}

/** The result that hooks have changed, with their names. */
export function changedResult(
  { result: raw, account = raw?.account }: CallRecord,
  result: ToolResultBlock,
  hooks: readonly { readonly hook: string; readonly before: ToolResultBlock }[],
  at: number,
): ToolResultBlock {
  const after = hooks.reduce<CallAccount | undefined>(
    (now, { hook, before: { state } }) => noted(now, "results", { by: { hook }, at, state }),
    account,
  );
  return withAccount(result, after);
}

/** The most that is added to a limit, which JSON can say and `Infinity` it cannot. */
const MOST_ADDED = 2 ** 52;

/** Adds amounts to limits. */
export function addLimits(limits: Limits, extra: Limits): Limits {
  const sums = LIMITS.flatMap((name) => {
    const more = extra[name];
    return more === undefined ? [] : [[name, Math.min((limits[name] ?? 0) + more, MOST_ADDED)] as const];
  });
  return { ...limits, ...Object.fromEntries(sums) };
}

/** The counters of the turn with what an agent inside of a call has used. */
export function withSpent(progress: Progress, { modelCalls, toolCalls, usage, extended }: Spent): Progress {
  const { stats } = progress;
  return {
    ...progress,
    stats: {
      ...stats,
      modelCalls: stats.modelCalls + modelCalls,
      toolCalls: stats.toolCalls + toolCalls,
      usage: addUsage(stats.usage, usage),
    },
    ...(extended && { extended: addLimits(progress.extended, extended) }),
  };
}

/** Returns the usage of the turn, with the usage of the agents that wait inside of its calls. */
export function statsWithWaiting({ progress, calls }: Pick<AgentContext, "progress" | "calls">): TurnStats {
  return calls.reduce(
    (now, { resume, stored }) => (resume?.spent && !stored ? withSpent(now, resume.spent) : now),
    progress,
  ).stats;
}
