import type { ErrorInfo } from "../core/base/error.ts";
import type { Msg, Reason, TakeOver } from "../core/message/types.ts";
import type { JournalEntry } from "../store/port.ts";
import type { AgentContext, Progress, TurnEnd } from "../../machines/agent/context.ts";
import type { CallRecord } from "../../machines/agent/call-record.ts";
import type { Limits } from "../../machines/agent/limits.ts";
import type { KeptParts } from "../../machines/agent/facts.ts";
import type { Cause } from "../../machines/agent/events.ts";
import type { StoredSlot } from "../core/tool/stored-slots.ts";
import type { StoredModelCall } from "./model-calls.ts";
import type { AgentChange } from "../core/tool/fingerprint.ts";
import type { EntryType } from "./entry-shapes.ts";
import type { StepAccount } from "../../machines/agent/step-account.ts";

/** A tool message without its result, which the journal has in the entry of the call `ref`. */
export type ResultRef = Omit<Msg, "content"> & { readonly ref: string };

/** The changes in the record of a call. `call` is there when its arguments change, and when a call is opened for which the entry with the
 *  messages before does not ask. */
export type CallChange = {
  readonly id: string;
  readonly set: Partial<Omit<CallRecord, "call">>;
  /** The fields that the record no longer has. */
  readonly unset?: readonly string[];
  readonly call?: CallRecord["call"];
};

/** The state of the chart, as each append writes it. */
export type ChartPosition = {
  readonly state: string;
  readonly at: number;
  readonly reason?: Reason;
  readonly progress: AgentContext["progress"];
  readonly request: Pick<AgentContext["request"], "attempt" | "usesFallback" | "notBeforeAt">;
};

/** A step as it is stored: each edge is its number in the list of edges of the chart. `by` says what caused the event unless it was
 *  the program that uses the agent. Journals of earlier releases do not say when a step was, nor which entries belong to it. */
export type StoredStep = {
  readonly x: readonly number[];
  readonly by?: Cause;
  /** Epoch ms. */
  readonly at?: number;
  /** The number of entries of the append that belong to it: they follow those of the step before. */
  readonly facts?: number;
  readonly did?: StepAccount;
};

/** The fields that differ; `stats` are whole if `startedAt` is among them. */
export type ProgressChange = Partial<Omit<Progress, "stats">> & {
  readonly stats?: Partial<Progress["stats"]>;
};

/** The fields of the position that differ from those of the previous append, and the steps since then. It may also be only the id of an
 *  input that was accepted. */
export type PositionChange = {
  readonly state?: string;
  /** Epoch ms of the last event, unless it is that of the entry. */
  readonly at?: number;
  readonly reason?: Reason | null;
  readonly progress?: ProgressChange;
  readonly request?: Partial<ChartPosition["request"]>;
  readonly steps?: readonly StoredStep[];
  /** The model calls since then. */
  readonly modelCalls?: readonly StoredModelCall[];
  /** The hash of the chart, in the first position that a process writes. */
  readonly chart?: string;
  /** The differences between the agent that the turn had before and the one that adopted it. */
  readonly adopted?: AgentChange;
  readonly taken?: string;
  /** The hash of what was accepted, see `inputHash`. */
  readonly hash?: string;
};

/** The data of each type of journal entry. */
export type EntryData = {
  readonly session: { readonly format: number };
  /** A process has taken the session over from one that had not released it. */
  readonly "session.taken": TakeOver;
  /** The messages from index `from` on. `closes`: no call is open any more. */
  readonly messages: {
    readonly from: number;
    readonly messages: readonly (Msg | ResultRef)[];
    readonly closes?: true;
  };
  readonly call: CallChange;
  readonly "calls.closed": {};
  readonly kept: KeptParts;
  readonly "budget.extended": { readonly extended: Limits };
  /** The active tool groups. */
  readonly groups: { readonly active: readonly string[] };
  /** A slot was written. */
  readonly slot: StoredSlot & { readonly name: string };
  readonly position: PositionChange;
  readonly "turn.end": TurnEnd;
  readonly "input.refused": { readonly id: string; readonly error: ErrorInfo };
};

/** A journal entry without its number and time. */
export type Fact = {
  readonly [Type in EntryType]: { readonly type: Type; readonly data: EntryData[Type] };
}[EntryType];

/** An entry of a session's journal. */
export type SessionEntry = Fact & Pick<JournalEntry, "seq" | "at">;
