import type { Decision } from "../../../src/core/tool/pending.ts";
import type { Interruption } from "../../../machines/agent/context.ts";
import { message, results, toolResult, user } from "../../../src/testing/explorer/messages.ts";
import { doneEvent, errorEvent, type ChartEvent } from "../../../src/testing/explorer/pure.ts";
import type { Fingerprint } from "../../../src/core/tool/fingerprint.ts";
import { contextOf, type Given } from "./at.ts";

/** A call with results. */
export const callWith = (...input: Parameters<typeof results>): ChartEvent => ({
  type: "call",
  at: 200,
  input: [results(...input)],
  hasOutput: true,
});
/** A call with text. */
export const SAY: ChartEvent = { type: "call", at: 200, input: [user("u2")], hasOutput: true };
/** A call without input. */
export const GO_ON: ChartEvent = { type: "call", at: 200, input: [], hasOutput: true };
/** A call without input, in a process that does not have the schema of a structured answer. */
export const GO_ON_WITHOUT_SCHEMA: ChartEvent = { type: "call", at: 200, input: [], hasOutput: false };
/** An interrupt by the user, unless `more` says otherwise. */
export const interrupt = (more: Partial<Pick<Interruption, "cause" | "message">> = {}): ChartEvent => ({
  type: "run.interrupt",
  at: 200,
  cause: "user",
  ...more,
});
export const INTERRUPT = interrupt();
/** The hooks of a point are done. */
export const hooks = (output: object = {}): ChartEvent => doneEvent("runHooks", { at: 200, ...output });
/** The breakpoints were judged: one holds for this reason, or none does. */
export const checked = (reason?: string): ChartEvent =>
  doneEvent("checkBreakpoints", { at: 200, ...(reason !== undefined && { reason }) });
/** They could not be judged. */
export const unchecked = errorEvent("checkBreakpoints", { code: "store/failed", message: "failed" });
/** One of the hooks has failed. */
export const failedHook = errorEvent("runHooks", { code: "hook/failed", message: "failed" });
/** The timer of the session has come due. */
export const slept: ChartEvent = { type: "timer.due", at: 200 };
/** The model has ended. */
export const answer = (output: object): ChartEvent =>
  doneEvent("callModel", { at: 200, finishReason: "stop", delivered: true, ...output });
/** The model has answered with this content. */
export const says = (...content: Parameters<typeof message>[2]): ChartEvent =>
  answer({ message: message("a1", "assistant", content) });
/** The model has failed. */
export const fails = (retry: boolean): ChartEvent =>
  answer({ delivered: false, error: { code: "model/unavailable", message: "down", retry } });
/** The attempt of a call has ended. */
export const ends = (number: number, output: object): ChartEvent =>
  doneEvent(`tool.c${number}`, { at: 200, callId: `c${number}`, attempt: 1, ...output });
/** A call has its result. */
export const result = (number: number): ChartEvent =>
  ends(number, { result: toolResult(`c${number}`, "ok") });
/** A decision about the first call, unless `about` says otherwise. */
export const decide = (
  about: { callId?: string; argsHash?: string; madeAt?: number; decision?: Decision } = {},
): ChartEvent => ({
  type: "tool.decide",
  at: 200,
  callId: "c1",
  decision: "approve",
  ...about,
});
export const STEER: ChartEvent = { type: "run.steer", at: 200, message: user("m1") };
export const EDIT: ChartEvent = { type: "session.edit", at: 200, messages: [user("m1")] };
export const OBSERVE: ChartEvent = { type: "session.observe", at: 200, messages: [user("m1")] };
export const SHUT_DOWN: ChartEvent = { type: "run.shutdown", at: 200 };
/** Writes a slot, for the revision 0 unless `about` says otherwise. */
export const write = (about: { name?: string; seen?: number } = {}): ChartEvent => ({
  type: "slot.write",
  at: 200,
  name: "plan",
  value: "new",
  version: 1,
  seen: 0,
  ...about,
});
/** A stored session takes the place of this one. */
export const load = (stored: Given, more: object = {}): ChartEvent => ({
  type: "session.load",
  context: contextOf(stored),
  ...more,
});
/** An agent, and one with another tool. */
export const AGENT: Fingerprint = { prompt: "p", permissions: "r", tools: { tool: "1" } };
export const OTHER_AGENT: Fingerprint = { ...AGENT, tools: { tool: "2" } };
/** A turn of an agent. */
export const turnOf = (agent: Fingerprint, resumeAt: "reasoning" | null = "reasoning"): Given => ({
  progress: { agent, resumeAt },
});
/** Another agent goes on with the turn. */
export const adopt = (agent: Fingerprint = OTHER_AGENT): ChartEvent => ({
  type: "session.adopt",
  at: 200,
  agent,
});
