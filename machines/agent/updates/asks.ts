import type { Json } from "../../../src/core/base/json.ts";
import { hashInput } from "../../../src/core/tool/hash.ts";
import type { Ask, PendingCall } from "../../../src/core/tool/pending.ts";
import type { Resumed } from "../../../src/core/tool/types.ts";
import type { AgentContext } from "../context.ts";
import type { CallRecord, CallResumption } from "../call-record.ts";

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
