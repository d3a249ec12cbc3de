// src/testing/explorer walks every state that a chart can reach: what services may answer, what people may do, and crashes.
import type { Msg, ToolResultBlock } from "../../core/message/types.ts";
import type { StoredSlots } from "../../core/tool/stored-slots.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import type { Letters } from "./desk.ts";
import type { ChartEvent } from "./pure.ts";

/** The meaning of a move, apart from what the chart makes of it: the invariants hold the chart to it. */
export type Meaning = {
  /** Messages handed over with a call. */
  readonly input?: readonly Msg[];
  /** A hook of preCall put these in their place. */
  readonly rewritten?: readonly Msg[];
  /** A message that was accepted: it must not get lost. */
  readonly heard?: Msg;
  /** A decision about this call. */
  readonly decides?: string;
  /** An answer to this question of a round. */
  readonly answers?: string;
  /** Calls that a review allowed to run. */
  readonly grants?: readonly string[];
  /** The values that were read in the arguments of those calls, by their ids. */
  readonly letters?: { readonly [callId: string]: Letters };
  /** The calls that an agent inside of the call has made. */
  readonly inner?: readonly {
    readonly name: string;
    readonly letters: Letters;
    readonly is: "success" | "maybe";
  }[];
  /** Who has decided, and how. */
  readonly decided?: { readonly callId: string; readonly as: string; readonly by: string };
  /** Calls that a hook denied. */
  readonly denies?: readonly string[];
  /** The result that a tool gave. */
  readonly result?: ToolResultBlock;
  /** A hook replaced the result of this call. */
  readonly replaces?: string;
  /** The slots that are written with it. */
  readonly writes?: StoredSlots;
  /** A hook asked to stop. */
  readonly stops?: boolean;
  /** Another agent goes on with the turn, and its tool is another one or gone: what was permitted or decided counts no more. */
  readonly revokes?: boolean;
  /** The model has refused a prompt of the conversation as too long, or has given an answer. */
  readonly said?: "too long" | "an answer";
  /** Somebody interrupts the turn. */
  readonly interrupts?: boolean;
};

/** One thing that may happen next. */
export type Move = {
  /** For paths: "tool 2: success". */
  readonly label: string;
  /** For the table: "runTool: success". */
  readonly group: string;
  readonly kind: "service" | "outside" | "late" | "crash" | "load";
  /** The events that are sent, in order; none for a crash. */
  readonly events: readonly ChartEvent[];
  readonly cost?: "call" | "disturbance" | "resumption";
  readonly meaning?: Meaning;
};

/** Returns the move of one event, which is outside unless `more` says otherwise. */
export const moveOf = (label: string, event: ChartEvent, more: Partial<Move> = {}): Move => ({
  label,
  group: label,
  kind: "outside",
  events: [event],
  ...more,
});

/** The position of the environment: what it may answer depends on it. `step` makes ids unique on a path. */
export type Scene = { readonly context: AgentContext; readonly leaf: string; readonly step: number };

/** Milliseconds that pass between two moves. */
export const TICK = 10;

/** One way a service may end. Without an output it breaks. */
export type Ending = {
  readonly label: string;
  readonly output?: object;
  readonly error?: object;
  readonly meaning?: Meaning;
};
