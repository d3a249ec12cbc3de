import { noted, recorded, recordedError, withAccount } from "../../../src/core/message/account.ts";
import type { Block, CallAccount, ChangedBy, ToolResultBlock } from "../../../src/core/message/types.ts";
import { isSame } from "../../../src/core/base/is-same.ts";
import type { JsonObject } from "../../../src/core/base/json.ts";
import type { Decision } from "../../../src/core/tool/pending.ts";
import type { CallRecord } from "../call-record.ts";
import type { Cause } from "../events.ts";

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
