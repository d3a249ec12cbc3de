import { HOOK_POINTS } from "../../core/hook/types.ts";
import type { Block, Msg } from "../../core/message/types.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import type { CallRecord } from "../../../machines/agent/call-record.ts";
import { rulesKey } from "./rules-key.ts";
import { mustCompact } from "../../../machines/agent/updates/compaction-plan.ts";
import { showsMedia } from "../../../machines/agent/updates/view.ts";
import { isAtRest, leafOf, type Step } from "./pure.ts";
import { toolResultsOf, toolUsesOf } from "../../core/message/msg.ts";
import type { Transcript } from "../../core/message/transcript.ts";

/** The fields of a context that no guard depends on: texts, clocks, counters that only name things. */
const IGNORED: ReadonlySet<string> = new Set([
  ...[
    "settings",
    "at",
    "startedAt",
    "turn",
    "inputTurn",
    "made",
    "settled",
    "turnAt",
    "usage",
    "iterations",
    "transcript",
    "calls",
    "batchAt",
    "view",
    "counted",
    "to",
    "tokensBefore",
    "failedIn",
    "last",
  ],
  ...[
    "system",
    "edit",
    "outcome",
    "schema",
    "deadlineAt",
    "notBeforeAt",
    "graceAt",
    "finishReason",
    "restedAt",
    "remembered",
    "slots",
    "listening",
    "allowed",
    "rules",
  ],
]);

const flags = (named: { readonly [name: string]: unknown }): string =>
  Object.keys(named)
    .filter((name) => named[name])
    .join("+");

/** The chart only asks whether there is a decision; a review tells three kinds apart, and one that was allowed may leave
 *  a rule behind. */
function decisionKey(decided: CallRecord["decided"]): string {
  if (decided === "deny" || (typeof decided === "object" && "deny" in decided)) return "denied";
  if (typeof decided === "object" && "answer" in decided) return "answered";
  return typeof decided === "object" && "approve" in decided ? "remembered" : "allowed";
}

/** A record, less what its status makes irrelevant. Of its timers counts which comes first. */
function recordKey(record: CallRecord, instants: readonly number[]): string {
  const { call, status, decided, execution, notBeforeAt = 0, deadlineAt = 0, resume } = record;
  const attempt = Math.min(record.attempt - (resume?.attempts ?? 0), execution?.maxAttempts ?? 1);
  if (record.stored) return "stored";
  if (record.result) return flags({ [status]: true, skipHooks: record.skipHooks, decided });
  const timer = instants.indexOf(status === "running" ? deadlineAt : status === "approved" ? notBeforeAt : 0);
  const hooked = status === "pending" && record.hooked;
  const unspawned = status === "running" && record.spawned !== record.attempt;
  const round = resume
    ? `${resume.round}${flags(Object.fromEntries(resume.asks.map(({ ask, decided: answer }) => [ask.id, answer])))}`
    : "";
  return `${call.name} ${attempt} ${timer} ${round} ${flags({ [status]: true, unspawned, hooked, asks: record.asks !== undefined, [decisionKey(decided)]: decided })}`;
}

function callsKey({ calls, at }: AgentContext): string {
  const timers = calls.flatMap(({ status, notBeforeAt = 0, deadlineAt = 0 }) => {
    if (status === "running") return [deadlineAt];
    return status === "approved" ? [notBeforeAt] : [];
  });
  const future = [...new Set(timers)].filter((instant) => instant > at).toSorted((a, b) => a - b);
  return calls.map((record) => recordKey(record, future)).join(";");
}

function blockKey(block: Block, order: readonly string[]): string {
  if (block.type === "tool_use") return block.name;
  return block.type === "tool_result" ? `result${order.indexOf(block.id)}` : block.type;
}

/** Any other part of a context as text; messages are reduced to their blocks. */
export function partKey(part: unknown, order: readonly string[]): string {
  if (part === null || typeof part !== "object") return String(part);
  if (Array.isArray(part)) return `[${part.map((each) => partKey(each, order)).join()}]`;
  if ("content" in part) return (part as Msg).content.map((block) => blockKey(block, order)).join("+");
  const entries = Object.entries(part).filter(([name]) => !IGNORED.has(name));
  return entries.map(([name, value]) => `${name}:${partKey(value, order)}`).join();
}

/** The fields that still count in this state; a session that rests without a turn has forgotten the last one. */
function partsOf(leaf: string, context: AgentContext): object {
  const { inbox: messages, progress, failure, interruption, settings, ...rest } = context;
  const { stats, extended, ...counters } = progress;
  const inbox = leaf === "doCall.onError" ? { ...messages, input: [] } : messages;
  const isFresh = leaf === "stopped.idle" && !progress.continues && progress.resumeAt === null;
  if (isFresh) return { inbox, exceeded: progress.exceeded };
  const hasBudget = Object.keys(settings.budget).length > 0;
  const ending = isAtRest(leaf)
    ? {}
    : { failed: failure && String(failure.retry), interrupted: interruption !== null };
  const waits = (context.request.notBeforeAt ?? 0) > context.at;
  return { ...rest, inbox, counters, waits, ...ending, ...(hasBudget && { stats, extended }) };
}

/**
 * The abstract state: two snapshots with the same key behave alike as far as the chart can tell. Left out are texts,
 * ids and clocks; of the transcript counts only whether a provider would take it.
 */
export function keyOf({ snapshot: { value, context }, timer }: Step): string {
  const leaf = leafOf(value);
  const order = context.calls.map(({ call }) => call.id);
  const points = HOOK_POINTS.map((point) => (context.listening.includes(point) ? "1" : "0")).join("");
  const protocol = protocolProblem(context.transcript) === undefined ? "valid" : "open";
  const more = flags({
    mustCompact: mustCompact(context),
    media: showsMedia(context),
    remembers: context.remembered.length > 0,
    allows: Object.keys(context.allowed).length > 0,
    timer: timer !== null,
  });
  const rules = rulesKey(context);
  return [
    leaf,
    rules,
    callsKey(context),
    partKey(partsOf(leaf, context), order),
    points,
    protocol,
    more,
  ].join(" | ");
}

/**
 * Returns what a provider would refuse of a transcript (I2). Each call has exactly one result, in call order, directly after
 * the message that asked. `open` are calls that may still be without one. Undefined if all is well.
 */
export function protocolProblem(
  transcript: Transcript,
  open: ReadonlySet<string> = new Set(),
): string | undefined {
  const messages = transcript.slice();
  const seen = new Set<string>();
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!;
    if (seen.has(message.id)) return `message ${message.id} is stored twice`;
    seen.add(message.id);
    if (toolResultsOf(message).length > 0)
      return `message ${message.id} has a result that no call stands before`;
    const asked = toolUsesOf(message).map(({ id }) => id);
    if (asked.length === 0) continue;
    const given: string[] = [];
    for (
      let next = messages[index + 1];
      next && toolResultsOf(next).length > 0;
      next = messages[++index + 1]
    ) {
      if (seen.has(next.id)) return `message ${next.id} is stored twice`;
      seen.add(next.id);
      if (next.content.some(({ type }) => type !== "tool_result"))
        return `message ${next.id} has more than results`;
      given.push(...toolResultsOf(next).map(({ id }) => id));
    }
    const missing = asked.filter((id) => !given.includes(id));
    const unanswered = missing.filter((id) => !open.has(id));
    if (unanswered.length > 0) return `no result for ${unanswered.join(", ")}`;
    const expected = asked.filter((id) => given.includes(id));
    if (given.join() !== expected.join()) return `results ${given.join(", ")} for calls ${asked.join(", ")}`;
    if (missing.length > 0 && index + 1 < messages.length)
      return `a message stands behind unanswered calls ${missing.join(", ")}`;
  }
  return undefined;
}
