import type { ErrorInfo } from "../../src/core/base/error.ts";
import type { HookPoint } from "../../src/core/hook/types.ts";
import type { Transcript } from "../../src/core/message/transcript.ts";
import type { Json, JsonObject } from "../../src/core/base/json.ts";
import type {
  Block,
  FinishReason,
  Msg,
  ReachedLimit,
  Reason,
  Role,
  Usage,
} from "../../src/core/message/types.ts";
import type { PendingCall } from "../../src/core/tool/pending.ts";
import type { StoredSlots } from "../../src/core/tool/stored-slots.ts";
import type { ClientTool } from "../../src/core/tool/declared-tools.ts";
import type { Fingerprint } from "../../src/core/tool/fingerprint.ts";
import type { RuleStates } from "../../src/core/tool/rules/law.ts";
import type { CallRecord, CallTerms } from "./call-record.ts";
import type { Overrides, CallEdit, PromptEdit } from "./prompt/edits.ts";
import type { Limits } from "./limits.ts";
import type { Settings } from "./settings.ts";
import type { View } from "./prompt/view.ts";

/** The reason for which a prompt is made shorter. It is near the window, the model has refused it, the caller asked, or another persona
 *  takes over. */
export type CompactionCause = "threshold" | "overflow" | "manual" | "handoff";

/** The summary that is being made. */
export type Compaction = {
  readonly cause: CompactionCause;
  /** Index of the first message that it is not about. */
  readonly to: number;
  /** True if it is about less than what is to be left out, because one request cannot hold all of it. */
  readonly isPart: boolean;
  /** The history is in the request as text, not as a conversation. */
  readonly isSeparate: boolean;
  /** The share that is used of the room in a request, from 1 down. */
  readonly share: number;
  readonly tokensBefore: number;
  /** The content that it is to keep, in words of the caller or of a hook. */
  readonly instructions?: string;
  /** A hook wants none. */
  readonly isUnwanted?: boolean;
};

/** The compactions of a session. */
export type Compactions = {
  readonly count: number;
  /** Those that changed nothing, or made hardly any room, in a row. */
  readonly failures: number;
  /** The step in which the last one failed, as "turn:iteration". */
  readonly failedIn: string | null;
  /** One was forced by a refused prompt, and the model has not answered since. */
  readonly isForced: boolean;
  /** The refusal that it is to mend. */
  readonly overflow: AgentContext["failure"];
  /** The effect of the last one, with the size of the prompt before and after it. */
  readonly last?: {
    readonly cause: CompactionCause;
    readonly did: "clear" | "summarise" | "nothing";
    readonly tokensBefore: number;
    readonly tokensAfter: number;
    /** The reason for which it did nothing. */
    readonly error?: ErrorInfo;
  };
  /** The caller has asked for one, or a handoff. */
  readonly asked?: { readonly instructions?: string; readonly isHandoff?: true };
};

/** The structured answer a call asked for. */
export type WantedOutput = {
  /** `native`: the provider keeps to the schema; `tool`: the model calls `generate_response`. */
  readonly mode: "native" | "tool";
  readonly schema: JsonObject;
  /** True if the caller's schema says more than `schema`: a process that does not have it cannot check the answer. */
  readonly isStandard?: boolean;
  readonly reminders: number;
  /** The value that was produced; it has passed the schema. */
  readonly value?: Json;
};

/** The model's answer before it is stored; `value` is the structured answer a native model gave. */
export type Draft = { readonly message: Msg; readonly finishReason: FinishReason; readonly value?: Json };

/** The reason for which a turn is interrupted. */
export type Interruption = {
  readonly cause: "user" | "signal" | "timeout";
  readonly message?: Msg;
  /** Replaces the recovery text. */
  readonly reply?: string;
  /** The calls that the interruption ended. */
  readonly pending?: readonly PendingCall[];
};

/** Counters of one turn. */
export type TurnStats = {
  readonly startedAt: number;
  readonly iterations: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly usage: Usage;
};

/** The outcome of the last call. */
export type Outcome = {
  readonly reason: Reason;
  readonly reply?: Msg;
  readonly error?: ErrorInfo;
  /** The structured answer. */
  readonly output?: Json;
  /** The cause of the interruption, if the turn was interrupted. */
  readonly cause?: Interruption["cause"];
  /** The limit that the turn has reached, if it ended or rests for that. */
  readonly limit?: ReachedLimit;
};

/** The way in which a turn came to rest. `isRefusal`: its call was refused, and the outcome of the session is that of the turn before. */
export type TurnEnd = {
  readonly reason: Reason;
  /** The turn that brought the input which was answered; absent in sessions of 0.1.0. */
  readonly turn?: number;
  readonly error?: ErrorInfo;
  /** The reply that the caller got, if hooks have made it another one than the answer that is stored. */
  readonly reply?: Msg;
  /** The limit that the turn has reached. */
  readonly limit?: ReachedLimit;
  readonly isRefusal?: boolean;
};

/** The states in which hooks run once a turn has its outcome, or a call is refused. */
export const ENDINGS = [
  "stopped.postCall",
  "stopped.onInterrupt",
  "stopped.onError",
  "suspended.postCall",
  "doCall.onError",
] as const;

/** The outcome of a turn whose last hooks run, so that a process that finds it ends the turn with it. */
export type Ending = { readonly at: (typeof ENDINGS)[number]; readonly outcome: Outcome };

/** The counters and positions of the session. */
export type Progress = {
  /** The process that has begun to run calls last. */
  readonly process?: string;
  readonly turn: number;
  /** The turn that brought the input which is answered: an earlier one if that failed and `call()` without input tries again. */
  readonly inputTurn?: number;
  /** The agent that runs the turn; absent in sessions of 0.1.0. */
  readonly agent?: Fingerprint;
  /** Index of the reasoning step in the turn. */
  readonly iteration: number;
  readonly gotos: number;
  readonly emptyRetries: number;
  /** The next reasoning step may pass the iteration limit, once. */
  readonly exempt: boolean;
  /** `call()` without input goes on with this turn and its counters. */
  readonly continues: boolean;
  /** The number of messages that the chart itself has created; their ids contain it. */
  readonly made: number;
  /** The number of settled calls of the agent: rises by one whenever a call has its outcome. */
  readonly settled: number;
  /** Index in the transcript of the message that asked for the open batch. */
  readonly batchAt: number;
  /** Index in the transcript at which the turn began. */
  readonly turnAt: number;
  /** The amounts that were added to the limits of this turn. */
  readonly extended: Limits;
  /** The limit that the turn has exceeded, or "breakpoint" before a request that one holds; null if the session rests for another reason. */
  readonly exceeded: keyof Limits | "breakpoint" | null;
  /** True if the process is shutting down: the turn stops at its next commit point. */
  readonly draining: boolean;
  /** The time at which the session came to rest, epoch ms. */
  readonly restedAt?: number | null;
  /** A hook of postActing has asked to stop; other results of the batch are still being stored. */
  readonly stopping?: boolean;
  /** The state in which an unfinished session continues; null if it is not unfinished. */
  readonly resumeAt: "doCall" | "reasoning" | "acting" | "summarizing" | "ending" | null;
  /** The input of the running hooks that a crash would cut off; null or absent while none run. */
  readonly ending?: Ending | null;
  readonly stats: TurnStats;
  /** The trace that the turn belongs to, as W3C `traceparent`: of the span with which it began. Absent or null: none is known. */
  readonly trace?: string | null;
  /** The token count of a provider, compared with our own count of the messages that it saw: `ratio` is its count ÷ ours, `overhead` the
   *  size of what else was in the request, such as tools. */
  readonly counted?: { readonly ratio: number; readonly overhead: number };
  /** The persona that has the session; null or absent: the agent itself. */
  readonly persona?: string | null;
  /** The persona to which a call of the open batch hands over. */
  readonly handoff?: string | null;
  /** The handoffs of the turn. */
  readonly handoffs?: number;
  readonly compactions?: Compactions;
  /** The values that the session has in the place of its agent's configuration; absent: nothing. */
  readonly overrides?: Overrides;
  /** The summary that is being made of the conversation; null or absent if none is. */
  readonly compacting?: Compaction | null;
  /** The memory of the rules about the session; absent: nothing. */
  readonly rules?: RuleStates;
};

/** The current model call, and its times in epoch ms. */
export type RequestState = {
  /** The system prompt of this call after preCall. */
  readonly system: string;
  /** The changes that hooks made to the prompt, one after the other; absent in sessions of 0.1.0. */
  readonly edits?: readonly PromptEdit[];
  /** The changes that hooks of preCall made to the call of the agent. They are not written with each change: a process that takes over the
   *  session in the middle of a turn may not know them. */
  readonly entered?: readonly CallEdit[];
  readonly attempt: number;
  readonly usesFallback: boolean;
  readonly deadlineAt: number | null;
  readonly notBeforeAt: number | null;
  /** The time at which an interrupt stops waiting for running services. */
  readonly graceAt: number | null;
  /** True if the running attempt has timed out. */
  readonly timedOut: boolean;
  /** True if it is not repeated, because `retryOn` returned false. */
  readonly final?: boolean;
  /** True if it was withdrawn once, unsent, for messages that came before it was sent. */
  readonly tookNews?: boolean;
  /** The reason for which the last answer ended, even one without content. */
  readonly finishReason?: FinishReason;
};

/** Messages that are not in the transcript yet. */
export type Inbox = {
  /** The input of the current call, until it is accepted. */
  readonly input: readonly Msg[];
  /** Delivered before the next model call of the turn. */
  readonly steering: readonly Msg[];
  /** Observed while calls were open; stored behind their results. */
  readonly queued: readonly Msg[];
  /** The structured output that the current call requests, until its input is accepted. */
  readonly wanted?: WantedOutput;
  /** The tools that a client has declared with the input of the current call, until it is accepted. */
  readonly clientTools?: readonly ClientTool[];
};

/** The machine's context: JSON and one {@link Transcript}. Replaced, never mutated. It has fewer than 20 keys on
 *  purpose: each assign copies it, and V8 copies larger objects a hundred times slower. */
export type AgentContext = {
  readonly settings: Settings;
  readonly transcript: Transcript;
  /** The part of the transcript that the model sees; null for all of it. */
  readonly view: View | null;
  /** The instant of the last event, epoch ms: the only clock of the chart. */
  readonly at: number;
  /** The hook points that at least one hook listens to. */
  readonly listening: readonly HookPoint[];
  /** The tools whose calls may run with any arguments. Their permission is the constant `allow`, and no rule about them says otherwise or
   *  looks at arguments. This process knows them; they are not stored. */
  readonly allowed: { readonly [tool: string]: CallTerms };
  readonly progress: Progress;
  readonly request: RequestState;
  readonly inbox: Inbox;
  readonly draft: Draft | null;
  readonly stop: boolean;
  readonly goto: readonly Msg[] | null;
  readonly calls: readonly CallRecord[];
  /** Approvals that hold for later calls: of a tool, or of a tool with these very arguments. */
  readonly remembered: readonly { readonly tool: string; readonly argsHash?: string }[];
  readonly wanted: WantedOutput | null;
  /** Values that belong to the session, by name. */
  readonly slots: StoredSlots;
  readonly interruption: Interruption | null;
  /** The failure, until the turn is settled. `retry` is there for a model that has delivered nothing. */
  readonly failure: (ErrorInfo & { readonly retry?: boolean }) | null;
  /** The outcome of the last call; the reply is left out of snapshots. */
  readonly outcome: Outcome | null;
  /** The facts that the current update has declared so far. No snapshot has it. */
  readonly facts?: readonly { readonly type: string }[];
};

/** The fields of the context that an update changes, and the facts that it declares. */
export type Change = Partial<AgentContext>;

const NO_STATS: TurnStats = { startedAt: 0, iterations: 0, modelCalls: 0, toolCalls: 0, usage: {} };

/** Of a session that has none of them. */
const NOTHING: readonly never[] = Object.freeze([]);
const NO_LIMITS: Limits = Object.freeze({});
const NO_SLOTS: StoredSlots = Object.freeze({});
/** An inbox in which nothing waits to be stored. */
export const EMPTY_INBOX: Inbox = Object.freeze({ input: NOTHING, steering: NOTHING, queued: NOTHING });

/** A request that has not begun. */
export function freshRequest(system: string): RequestState {
  return {
    system,
    edits: NOTHING,
    attempt: 0,
    usesFallback: false,
    deadlineAt: null,
    notBeforeAt: null,
    graceAt: null,
    timedOut: false,
  };
}

/** The turn that brought the input which is answered. Sessions of 0.1.0 do not say it. */
export function inputTurnOf({ inputTurn, turn }: Progress): number {
  return inputTurn ?? turn;
}

/** The context of a session in which nothing has happened. */
export function freshContext(settings: Settings, transcript: Transcript): AgentContext {
  return {
    settings,
    transcript,
    view: null,
    at: 0,
    listening: NOTHING,
    allowed: {},
    progress: {
      turn: 0,
      iteration: 0,
      gotos: 0,
      emptyRetries: 0,
      exempt: false,
      continues: false,
      made: 0,
      settled: 0,
      batchAt: -1,
      turnAt: 0,
      extended: NO_LIMITS,
      exceeded: null,
      draining: false,
      resumeAt: null,
      stats: NO_STATS,
    },
    request: freshRequest(settings.system),
    inbox: EMPTY_INBOX,
    draft: null,
    stop: false,
    goto: null,
    calls: NOTHING,
    remembered: NOTHING,
    wanted: null,
    slots: NO_SLOTS,
    interruption: null,
    failure: null,
    outcome: null,
  };
}

/** The counters with which a new turn begins. */
export function freshTurn({ progress, transcript, at }: AgentContext): Progress {
  return {
    ...progress,
    turn: progress.turn + 1,
    inputTurn: progress.turn + 1,
    iteration: 0,
    gotos: 0,
    emptyRetries: 0,
    exempt: false,
    continues: false,
    resumeAt: null,
    turnAt: transcript.length,
    extended: NO_LIMITS,
    exceeded: null,
    stats: { ...NO_STATS, startedAt: at },
  };
}

/** A message that the chart itself creates. Its id and time come from the context, so that the chart is a pure function. */
export function makeMessage(context: AgentContext, role: Role, content: readonly Block[]): Msg {
  const { settings, progress, at } = context;
  return {
    id: `${settings.sessionId}:${progress.made + 1}`,
    role,
    name: settings.agent,
    content,
    metadata: {},
    timestamp: at,
  };
}
