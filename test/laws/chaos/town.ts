import { setTimeout as sleep } from "node:timers/promises";
import { AgentError, toolUsesOf, type SessionStore } from "agentchart";
import { openSession } from "agentchart/session";
import type { Dispatcher } from "agentchart/worker";
import { historyProblem } from "../../support/history.ts";
import { hadEffect, readLedger, type LedgerLine } from "./ledger.ts";
import { CALLED, SAID, storyProblem, valueOf } from "./script.ts";

/** Repeats what fails with a retryable error, as any client would, with the same key. */
export async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!AgentError.is(error) || !error.isRetryable) throw error;
      await sleep(50);
    }
  }
}

/** Dispatches all inputs to a session, some of them twice, with pauses of up to `pauseMs`. */
export async function tell(
  dispatcher: Dispatcher,
  sessionId: string,
  pauseMs: number,
  random: () => number,
): Promise<void> {
  for (const text of SAID) {
    const times = random() < 0.2 ? 2 : 1; // a client that did not hear the answer
    for (let count = 0; count < times; count++)
      await insist(() => dispatcher.dispatch(sessionId, text, { agent: "clerk", idempotencyKey: text }));
    await sleep(random() * pauseMs);
  }
}

/** Decides what waits for a person: approves, says what became of calls that were cut off, and ends quarantines. */
export async function desk(store: SessionStore, dispatcher: Dispatcher, ledger: string): Promise<void> {
  const { sessions } = await store.list({ phase: "suspended", limit: 1_000 });
  for (const { sessionId } of sessions) {
    const { pending } = await dispatcher.status(sessionId);
    for (const { callId, waitsFor, argsHash, decided, since } of pending) {
      if (decided) continue;
      const options = { argsHash, idempotencyKey: `${callId} ${waitsFor} ${since}` };
      const isDone = hadEffect(ledger, sessionId, callId);
      const decision = waitsFor === "approval" ? "approve" : isDone ? { answer: valueOf(callId) } : "retry";
      await dispatcher.decide(sessionId, callId, decision, options);
    }
  }
  for (const { sessionId } of (await dispatcher.deadLetters()).letters) {
    await dispatcher.retry(sessionId).catch((error: unknown) => {
      const isHeld = AgentError.is(error) && error.code === "session/conflict";
      if (!isHeld) throw error; // the process that gave it up still has it
    });
  }
}

async function hasBegun(dispatcher: Dispatcher, sessionId: string): Promise<boolean> {
  try {
    await dispatcher.status(sessionId);
    return true;
  } catch (error) {
    if (AgentError.is(error) && error.code === "session/not-found") return false;
    throw error;
  }
}

/** True for a session that has every input and its answer. */
export async function isFinished(
  store: SessionStore,
  dispatcher: Dispatcher,
  sessionId: string,
): Promise<boolean> {
  if (!(await hasBegun(dispatcher, sessionId))) return false;
  const { phase, inputs, reason, seq } = await dispatcher.status(sessionId);
  if (seq === 0 || phase !== "stopped" || inputs > 0 || reason !== "MODEL_STOP") return false;
  const { messages } = await (await openSession(store, sessionId)).at();
  return messages.filter(({ role }) => role === "user").length === SAID.length;
}

/** Returns what is wrong with a finished session, if anything. */
export async function sessionProblem(store: SessionStore, sessionId: string): Promise<string | undefined> {
  const { messages } = await (await openSession(store, sessionId)).at();
  const names = messages.flatMap(toolUsesOf).map(({ name }) => name);
  const wrongCalls = names.join() === CALLED.join() ? undefined : `it called ${names.join()}`;
  const problem = historyProblem(messages) ?? storyProblem(messages) ?? wrongCalls;
  return problem && `${sessionId}: ${problem}`;
}

/** Returns what of a ledger contradicts the rules, if anything. */
export function ledgerProblem(path: string, sessions: number): string | undefined {
  const lines = readLedger(path);
  const fences = new Map<string, number>();
  const seqs = new Map<string, number>();
  const recorded = new Set<string>();
  const effects = new Map<string, number>();
  const looked = new Set<string>();
  for (const { what, sessionId, fence, callId, seq = 0 } of lines) {
    const call = `${sessionId} ${callId}`;
    if (what === "append" && seq < (seqs.get(sessionId) ?? 0)) continue; // an older append whose line came late
    if (fence < (fences.get(sessionId) ?? 0))
      return `${sessionId}: fence ${fence} after ${fences.get(sessionId)}`;
    fences.set(sessionId, fence);
    if (what === "append") seqs.set(sessionId, seq);
    if (what === "recorded") {
      if (recorded.has(call)) return `${call}: its result was recorded twice`;
      recorded.add(call);
    }
    if (what === "start" && recorded.has(call)) return `${call}: it ran again after its result was recorded`;
    if (what === "start" && callId?.startsWith("leak")) return `${call}: it ran against a rule`;
    if (what === "start" && callId?.startsWith("pay") && !looked.has(sessionId))
      return `${call}: it ran before what a rule demands`;
    if (what === "effect" && callId?.startsWith("look")) looked.add(sessionId);
    if (what === "effect") effects.set(call, (effects.get(call) ?? 0) + 1);
  }
  const twice = [...effects].find(([call, count]) => count > 1 && !call.includes(" safe-"));
  if (twice) return `${twice[0]}: it had its effect ${twice[1]} times`;
  const count = countOf(lines, "effect");
  return count < sessions * 5 ? `${count} effects of ${sessions} sessions` : undefined;
}

/** How many lines of a ledger say this. */
export function countOf(lines: readonly LedgerLine[], what: LedgerLine["what"]): number {
  return lines.filter((line) => line.what === what).length;
}
