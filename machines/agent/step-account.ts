import type { Msg, TakeOver } from "../../src/core/message/types.ts";
import type { AgentContext } from "./context.ts";
import type { StepFacts } from "./facts.ts";
import type { HooksOutcome, ModelOutcome, ReviewOutcome, ToolRunOutcome } from "./services.ts";

/** A failure as it is told: its code if it has one, and the beginning of its message. */
export type ToldFailure = { readonly code?: string; readonly message: string };

/** The actions of hooks: they denied or changed a call, a result or an answer, or changed parts of the prompt. */
export type HookDeed = {
  readonly hook?: string;
  readonly callId?: string;
  /** The reason for which they denied the call. */
  readonly deny?: string;
  /** The parts of the prompt, "input" of a call, "result" of one, or "answer". Sessions of 0.1.0 do not tell the last two. */
  readonly parts?: readonly string[];
};

/** The outcome of a step, as far as the retained parts of the context do not contain it. Whoever sees a run live and whoever reads it from
 *  its journal know the same of it. Texts are first lines, cut. */
export type StepAccount = {
  /** The reason for which the command, or the call that ends here, was refused. */
  readonly refused?: ToldFailure;
  /** The session was taken over from another process. */
  readonly takeOver?: TakeOver;
  /** The failure in it: an attempt of a request, hooks, a service. */
  readonly error?: ToldFailure;
  /** The outcome of an attempt of a call that did not succeed. */
  readonly result?: { readonly state: string; readonly text: string };
  /** An attempt of a call ran out of time. */
  readonly isLate?: true;
  /** The answer of the model, if it is not a message yet: the tools that it calls, and its text. */
  readonly draft?: { readonly calls: readonly string[]; readonly text: string };
  /** The calls that may not run, each with why. */
  readonly denied?: readonly { readonly callId: string; readonly text: string }[];
  readonly hooks?: readonly HookDeed[];
  /** A hook stopped the turn. */
  readonly stop?: true;
  /** Its name; absent in sessions of earlier releases. */
  readonly stoppedBy?: string;
  /** A hook asked the model once more. */
  readonly goto?: true;
  /** Its name, or the names of several; absent in sessions of earlier releases. */
  readonly gotoBy?: string;
  /** The decision on a call, and who made it if that is known. */
  readonly decision?: { readonly callId: string; readonly kind: string; readonly by?: string };
  /** A call of the agent that somebody else than the program made came with messages. */
  readonly isSent?: true;
  /** The way in which the turn came to rest, its number in the session, and the cause of its interruption. */
  readonly end?: {
    readonly turn: number;
    readonly reason: string;
    readonly error?: ToldFailure;
    readonly cause?: string;
  };
};

/** The longest text that an account has. */
const MAX_TEXT = 400;

const firstLine = (text: string): string => text.trim().split("\n", 1)[0]!.slice(0, MAX_TEXT);

function failureOf(error: unknown): ToldFailure {
  const { code, message } = (typeof error === "object" && error !== null ? error : {}) as {
    readonly code?: unknown;
    readonly message?: unknown;
  };
  return {
    ...(typeof code === "string" && { code }),
    message: firstLine(typeof message === "string" ? message : String(error)),
  };
}

type Parts = { readonly output: readonly { readonly type: string; readonly text?: string }[] };

const textOfResult = ({ output }: Parts): string =>
  firstLine(output.find(({ text }) => text !== undefined)?.text ?? "");

/** An answer of the model that waits for hooks. */
function draftOf({ notices, messages }: StepFacts, after: AgentContext): StepAccount {
  const draft = notices.findLast((notice) => notice.type === "draft");
  if (!draft || after.draft === null || messages?.messages.some(({ id }) => id === draft.message.id))
    return {};
  const { content }: Msg = draft.message;
  const calls = content.flatMap((block) => (block.type === "tool_use" ? [block.name] : []));
  const text = content.find((block) => block.type === "text")?.text ?? "";
  return { draft: { calls, text: text.trim().replaceAll(/\s+/g, " ").slice(0, MAX_TEXT) } };
}

function modelAccount({ error }: ModelOutcome): StepAccount {
  return error ? { error: failureOf(error) } : {};
}

function toolAccount({ result }: ToolRunOutcome): StepAccount {
  if (!result || result.state === "success") return {};
  return { result: { state: result.state, text: textOfResult(result) } };
}

function reviewAccount({ verdicts }: ReviewOutcome): StepAccount {
  const denied = verdicts.flatMap(({ callId, action, result }) =>
    action === "allow" || action === "ask" || !result || result.state === "success"
      ? []
      : [{ callId, text: textOfResult(result) }],
  );
  return denied.length > 0 ? { denied } : {};
}

function hooksAccount(outcome: HooksOutcome): StepAccount {
  const { calls = [], entered = [], edits = [], results = [], stop, stoppedBy, goto, gotoBy } = outcome;
  const onCalls = calls.flatMap(({ callId, deny, input, by }): HookDeed[] => {
    const hook = by === undefined ? {} : { hook: by };
    if (deny !== undefined) return [{ ...hook, callId, deny: firstLine(deny) }];
    return input === undefined ? [] : [{ ...hook, callId, parts: ["input"] }];
  });
  const onPrompt = [...entered, ...edits].map((edit): HookDeed => {
    const { hook, ...changed } = edit;
    return { hook, parts: Object.keys(changed) };
  });
  const onResult = results.map(({ hook }): HookDeed => ({ hook, parts: ["result"] }));
  const onAnswer = (outcome.message?.changedBy ?? []).map((hook): HookDeed => ({ hook, parts: ["answer"] }));
  const hooks = [...onCalls, ...onPrompt, ...onResult, ...onAnswer];
  return {
    ...(hooks.length > 0 && { hooks }),
    ...(stop === true && { stop, ...(stoppedBy !== undefined && { stoppedBy }) }),
    ...(goto !== undefined && { goto: true as const, ...(gotoBy !== undefined && { gotoBy }) }),
  };
}

type Event = { readonly type: string } & { readonly [field: string]: unknown };

function serviceAccount({ type, output }: Event): StepAccount {
  if (typeof output !== "object" || output === null) return {};
  if (type === "xstate.done.actor.callModel") return modelAccount(output as ModelOutcome);
  if (type === "xstate.done.actor.reviewCalls") return reviewAccount(output as ReviewOutcome);
  if (type === "xstate.done.actor.runHooks") return hooksAccount(output as HooksOutcome);
  return type.startsWith("xstate.done.actor.tool.") ? toolAccount(output as ToolRunOutcome) : {};
}

function commandAccount({ type, by: cause, input, callId, decision, decidedBy }: Event): StepAccount {
  const isSent = Array.isArray(input) && input.length > 0;
  if (type === "call" && cause !== undefined && isSent) return { isSent };
  if (type !== "tool.decide") return {};
  const kind = typeof decision === "object" && decision !== null ? Object.keys(decision)[0] : decision;
  const by = typeof decidedBy === "string" && { by: decidedBy };
  return { decision: { callId: String(callId), kind: String(kind), ...by } };
}

/** Returns how a turn has come to rest, or why its call was refused. After a refusal the outcome is that of the turn before. */
function endOf({ end }: StepFacts, { progress, outcome }: AgentContext): StepAccount {
  if (!end) return {};
  if (end.isRefusal) return { refused: failureOf(end.error) };
  if (outcome === null) return {};
  const { reason, error, cause } = outcome;
  const told = { ...(error && { error: failureOf(error) }), ...(cause && { cause }) };
  return { end: { turn: progress.turn, reason, ...told } };
}

/** Returns what came of an event, by the facts of its step and the context after it; `refused`: why it was refused. */
export function accountOf(
  event: { readonly type: string },
  step: StepFacts,
  after: AgentContext,
  refused?: { readonly code: string; readonly message: string },
): StepAccount | undefined {
  const { takeOver } = step;
  if (event.type === "session.load" && !refused) return takeOver && { takeOver }; // what it brings has happened before
  if (event.type === "session.load") return { refused: failureOf(refused) };
  if (refused) return { ...commandAccount(event as Event), refused: failureOf(refused) };
  const has = (type: StepFacts["notices"][number]["type"]): boolean =>
    step.notices.some((notice) => notice.type === type);
  const account: StepAccount = {
    ...(has("request.late") && { error: { code: "model/timeout", message: "" } }),
    ...(event.type.startsWith("xstate.error.") && { error: failureOf((event as Event)["error"]) }),
    ...serviceAccount(event as Event),
    ...commandAccount(event as Event),
    ...draftOf(step, after),
    ...(has("call.late") && { isLate: true as const }),
    ...endOf(step, after),
  };
  return Object.keys(account).length > 0 ? account : undefined;
}
