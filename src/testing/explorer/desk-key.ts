import type { AgentContext } from "../../../machines/agent/context.ts";
import type { CallRecord, CallRules } from "../../../machines/agent/call-record.ts";
import { idOfCall } from "../../../machines/agent/updates/rule-batch.ts";
import { perObject } from "../../core/base/json.ts";
import { asksWho, isJudged, perName, type Law, type RuleData } from "../../core/tool/rules/law.ts";
import { partKey } from "./key.ts";
import { isAtRest, leafOf, type Step } from "./pure.ts";
import { letterKey, memoryKey } from "./rules-key.ts";

/** True if the call has its result: it does not run again, and nobody asks about it any more. */
export const isSettled = ({ stored, result }: CallRecord): boolean => stored || result !== undefined;

/** The rules that ask who has approved a call, by the tool that is called. */
const askingAbout = perName((rules: readonly RuleData[], name): readonly Law[] =>
  rules.flatMap(({ law }) => (asksWho(law) && isJudged(law, name) ? [law] : [])),
);

/** A person in the eyes of a law that asks who has approved a call. */
export function personKey(law: Law, by: string | undefined): string {
  if (law.kind === "any") return law.of.map((part) => personKey(part, by)).join("");
  return law.kind === "approved" ? (by !== undefined && law.by.includes(by) ? "+" : "-") : "";
}

const personIn = (laws: readonly Law[], by: string | undefined): string =>
  laws.map((law) => personKey(law, by)).join("");

/** A decision as a review and the rules read it. Who made it counts only where a rule asks for that, and whether it approves or repeats only
 *  where there is something to waive. Other arguments are none of it: a review reads any of them in any case. */
function decisionKey({ decided, decidedBy = "", rules, status }: CallRecord, laws: readonly Law[]): string {
  if (decided === undefined) return "";
  const isDenied = decided === "deny" || (typeof decided === "object" && "deny" in decided);
  const isAnswered = typeof decided === "object" && "answer" in decided;
  if (isDenied || isAnswered) return status === "pending" ? "settled" : isDenied ? "denied" : "answered";
  const { asked: told, waived, approver } = rules ?? {};
  const by = personIn(laws, decided === "retry" ? approver : decidedBy);
  const waives = told || waived ? (decided === "retry" ? "repeats" : "waives") : "allowed";
  return `${waives}${by}`;
}

/** The knowledge of the rules about a call that may still run. */
function knownKey(known: CallRules | undefined, laws: readonly Law[]): string {
  const { letters, approver, asked: told, waived, maybe, isUnknown, isInner } = known ?? {};
  const read = letters ? Object.values(letters).map(letterKey).join() : "";
  return `${read} ${personIn(laws, approver)} ${told?.join() ?? ""} ${waived ? [...new Set(waived)].join() : ""}${maybe ? "m" : ""}${isUnknown ? "?" : ""}${isInner ? "i" : ""}`;
}

/** A call that may still run. Of its timers counts which comes first. */
function openKey(record: CallRecord, future: readonly number[], rules: readonly RuleData[]): string {
  const { call, status, execution, notBeforeAt = 0, deadlineAt = 0, resume, asks } = record;
  const attempt = Math.min(record.attempt - (resume?.attempts ?? 0), execution?.maxAttempts ?? 1);
  const timer = future.indexOf(status === "running" ? deadlineAt : status === "approved" ? notBeforeAt : 0);
  const hooked = status === "pending" && record.hooked ? "h" : "";
  const laws = askingAbout(rules, call.name);
  const unspawned = status === "running" && record.spawned !== record.attempt ? "u" : "";
  return `${call.name} ${status}${attempt}${hooked}${unspawned}${asks === undefined ? "" : "asks"} ${timer} ${decisionKey(record, laws)} ${knownKey(record.rules, laws)}`;
}

function callsKey({ calls, at, settings: { rules = [] } }: AgentContext): string {
  if (calls.length === 0) return "";
  const timers = calls.flatMap((record) => {
    const { status, notBeforeAt = 0, deadlineAt = 0 } = record;
    if (isSettled(record)) return [];
    if (status === "running") return [deadlineAt];
    return status === "approved" ? [notBeforeAt] : [];
  });
  const future = [...new Set(timers)].filter((instant) => instant > at).toSorted((a, b) => a - b);
  return calls
    .map((record) => {
      if (record.stored) return "stored";
      if (record.result) return record.skipHooks ? "result" : "result to see";
      return openKey(record, future, rules);
    })
    .join(";");
}

/** The memory of the rules; of calls counts their place as long as they may run again. */
function memoriesKey(context: AgentContext): string {
  const { settings, progress, calls, at } = context;
  if (settings.rules === undefined) return "";
  const open = calls.map((record, place) => (isSettled(record) ? "" : idOfCall(context, place)));
  return settings.rules
    .map(({ name, scope }) => {
      const state = progress.rules?.[name];
      if (!state) return "";
      const isOld = scope === "turn" && state.turn !== progress.turn;
      return `${isOld ? "old " : ""}${memoryKey(state, at, open)}`;
    })
    .join("/");
}

/** The parts of a context that are seldom replaced, as texts. */
const textOf = perObject((part: object): string => partKey(part, []));

/** Returns what ends or stops the turn. How many steps of reasoning it has made is for the walk to tell apart. */
function turnKey(leaf: string, context: AgentContext): string {
  const { progress, failure, interruption, stop, goto, draft, request, at } = context;
  const { emptyRetries, exempt, continues, exceeded, draining, resumeAt, stopping } = progress;
  if (leaf === "stopped.idle" && !continues && resumeAt === null) return `${exceeded}`;
  const ending = isAtRest(leaf) ? "" : `${failure && String(failure.retry)} ${interruption !== null}`;
  const flags = [exempt, continues, draining, stopping === true, stop, (request.notBeforeAt ?? 0) > at];
  const counters = `${emptyRetries} ${exceeded} ${resumeAt} ${progress.ending?.at}`;
  return `${flags.map(Number).join("")} ${counters} ${ending} ${draft && textOf(draft)} ${goto && textOf(goto)} ${textOf(request)}`;
}

function inboxKey(leaf: string, { inbox, calls }: AgentContext): string {
  const { input, steering, queued } = inbox;
  if (input.length + steering.length + queued.length === 0) return "";
  const order = calls.map(({ call }) => call.id);
  const said = leaf === "doCall.onError" ? [] : input;
  return [said, steering, queued].map((messages) => partKey(messages, order)).join();
}

/**
 * The abstract state of an agent with rules: it merges what `keyOf` tells apart although no guard of its chart reads it any more. That is
 * the status, the decision and the arguments of calls that have their result, who has made a decision that no rule asks for, approvals
 * that are remembered (only a review reads them, and a walk tries all its verdicts), and whatever is always the same on a desk.
 */
export function deskKeyOf({ snapshot: { value, context }, timer }: Step): string {
  const leaf = leafOf(value);
  const armed = timer === null ? "" : "timer";
  return `${leaf} | ${memoriesKey(context)} | ${callsKey(context)} | ${inboxKey(leaf, context)} | ${turnKey(leaf, context)} | ${armed}`;
}
