import { transition } from "xstate";
import { agentMachine } from "../../../machines/agent/agent.machine.ts";
import { Transcript } from "../../../src/core/message/transcript.ts";
import { freshContext, type AgentContext, type WantedOutput } from "../../../machines/agent/context.ts";
import type { CallRecord } from "../../../machines/agent/call-record.ts";
import type { Settings } from "../../../machines/agent/settings.ts";
import { message, text, toolResult, toolUse, user } from "../../../src/testing/explorer/messages.ts";
import { SETTINGS as EXPLORED } from "../../laws/explorer/worlds.ts";
import { leafOf, type AgentSnapshot, type ChartEvent } from "../../../src/testing/explorer/pure.ts";

export const SETTINGS: Settings = { ...EXPLORED, maxIters: 3, maxEmptyRetries: 1 };

/** What of a context a row of a table says; progress and request are merged into fresh ones. */
export type Given = Partial<Omit<AgentContext, "settings" | "progress" | "request">> & {
  readonly settings?: Partial<Settings>;
  readonly progress?: Partial<AgentContext["progress"]>;
  readonly request?: Partial<AgentContext["request"]>;
};

export function contextOf({ settings, progress, request, ...rest }: Given = {}): AgentContext {
  const fresh = freshContext({ ...SETTINGS, ...settings }, Transcript.of([user("u1")]));
  return {
    ...fresh,
    at: 100,
    ...rest,
    progress: { ...fresh.progress, turn: 1, ...progress },
    request: { ...fresh.request, ...request },
  };
}

/** A context in which the last message asked for calls with these records. */
export function asking(records: readonly Partial<CallRecord>[], given: Given = {}): Given {
  const uses = records.map((_, index) => toolUse(`c${index + 1}`));
  const transcript = Transcript.of([user("u1"), message("a1", "assistant", uses)]);
  const calls = records.map((record, index): CallRecord => {
    const call = uses[index]!;
    const isDone = record.status === "done" || record.status === "denied";
    const result = isDone ? { result: toolResult(call.id, "done") } : {};
    return {
      call,
      status: "pending",
      hooked: true,
      stored: false,
      attempt: 0,
      since: 0,
      ...result,
      ...record,
    };
  });
  return { transcript, calls, ...given, progress: { batchAt: 1, ...given.progress } };
}

/** A context in which these messages wait. */
export const inbox = (waiting: Partial<AgentContext["inbox"]>): Given => ({
  inbox: { input: [], steering: [], queued: [], ...waiting },
});

/** A context in which the turn is to give a structured output. */
export const wanting = (wanted: Partial<WantedOutput>): Given => ({
  wanted: { mode: "tool", schema: {}, reminders: 0, ...wanted },
});

/** A model's answer as it waits for its hooks. */
export const draft = (...callIds: readonly string[]): AgentContext["draft"] => ({
  message: message("a1", "assistant", [text("answer"), ...callIds.map(toolUse)]),
  finishReason: callIds.length > 0 ? "tool_calls" : "stop",
});

type StateValue = string | { readonly [state: string]: StateValue };

/** "reasoning.calling.running" as a state value. */
function valueOf(path: readonly string[]): StateValue {
  const [head = "", ...tail] = path;
  return tail.length === 0 ? head : { [head]: valueOf(tail) };
}

/** A snapshot of the agent's chart in a state. */
export function snapshotOf(leaf: string, given: Given): AgentSnapshot {
  const value = valueOf(leaf.split(".")) as AgentSnapshot["value"];
  return agentMachine.resolveState({ value, context: contextOf(given) }) as AgentSnapshot;
}

/** What one event makes of a state and a context. No actor runs: services are data. */
export function after(leaf: string, given: Given, event: ChartEvent): AgentSnapshot {
  return transition(agentMachine, snapshotOf(leaf, given), event as never)[0];
}

/** A row of a table: in this state, given this, that event leads there; with a word on why the turn ended. */
export type Row = readonly [
  from: string,
  what: string,
  given: Given,
  event: ChartEvent,
  to: string,
  reason?: string,
];

/** Where a row really leads. */
export function outcomeOf([from, , given, event, , reason]: Row): readonly [string, string | undefined] {
  const { value, context } = after(from, given, event);
  return [leafOf(value), reason === undefined ? undefined : context.outcome?.reason];
}

export const titleOf = ([from, what, , , to]: Row): string => `${from}: ${what} → ${to}`;
