import type { HookPoint } from "../../src/core/hook/types.ts";
import type { Json } from "../../src/core/base/json.ts";
import type { Msg, TakeOver } from "../../src/core/message/types.ts";
import type { Decision } from "../../src/core/tool/pending.ts";
import type { AgentContext, WantedOutput } from "./context.ts";
import type { Limits } from "./limits.ts";
import type { ClientTool } from "../../src/core/tool/declared-tools.ts";
import type { Fingerprint } from "../../src/core/tool/fingerprint.ts";

/** Who caused an event. */
export type Cause = "caller" | "hook" | "inspector" | "worker" | "operator";

type Command<Type extends string, Data extends object = object> = {
  readonly type: Type;
  /** Set by a sender that wants an answer: the chart emits `accepted` or `refused` with this id in the same macrostep. */
  readonly id?: string;
  /** Default: the caller of the agent's methods. */
  readonly by?: Cause;
} & Data;
type At = { /** Epoch milliseconds. */ readonly at: number };

/** The events that the agent machine handles, apart from the outcomes of its services. */
export type AgentCommand =
  /** Begins a turn, or goes on with one that rests. */
  | Command<
      "call",
      At & {
        readonly input: readonly Msg[];
        readonly wanted?: WantedOutput;
        /** The agent that is called. */
        readonly agent?: Fingerprint;
        /** True if this process has the schema of the structured answer that the call, or the turn it goes on with, asks for. */
        readonly hasOutput: boolean;
        /** The trace that the turn belongs to, as W3C `traceparent`. */
        readonly trace?: string;
        /** The tools that a client has declared for the turn that the call begins. */
        readonly clientTools?: readonly ClientTool[];
      }
    >
  | Command<
      "run.interrupt",
      At & { readonly cause: "user" | "signal" | "timeout"; readonly message?: Msg; readonly reply?: string }
    >
  | Command<"run.steer", At & { readonly message: Msg }>
  | Command<"session.observe", At & { readonly messages: readonly Msg[] }>
  | Command<
      "tool.decide",
      At & {
        readonly callId: string;
        readonly decision: Decision;
        /** The arguments that the decision was made for. */
        readonly argsHash?: string;
        /** The time at which the decision was made, if that was before `at`. */
        readonly madeAt?: number;
        /** Who has decided. */
        readonly decidedBy?: string;
      }
    >
  /** Replaces the messages of the session. */
  | Command<"session.edit", At & { readonly messages: readonly Msg[] }>
  /** Sums up the conversation although nothing asks for it. */
  | Command<"session.compact", At & { readonly instructions?: string }>
  | Command<"run.shutdown", At>
  | Command<"budget.extend", At & { readonly extra: Limits }>
  /** Writes a slot from outside. */
  | Command<
      "slot.write",
      At & {
        readonly name: string;
        readonly value: Json;
        readonly version: number;
        /** The revision that the write was made for; absent: any. */
        readonly seen?: number;
      }
    >
  /** Puts a stored session in the place of this one. */
  | Command<
      "session.load",
      {
        readonly context: AgentContext;
        /** The agent that loads it. */
        readonly agent?: Fingerprint;
        /** True if a person has released the session to this agent. */
        readonly isReleased?: boolean;
        /** It was taken over from another process. */
        readonly takeOver?: TakeOver;
      }
    >
  /** Goes on with the turn of another agent. */
  | Command<"session.adopt", At & { readonly agent: Fingerprint }>
  | Command<"hooks.listen", { readonly points: readonly HookPoint[] }>
  /** The tools, their groups or their presets have changed. */
  | Command<"tools.allow", { readonly allowed: AgentContext["allowed"] }>
  | TimerDue;

/** The instant has come for which the timer was armed. */
export type TimerDue = Command<
  "timer.due",
  At & {
    /** The attempts that have run out of time and are not to be repeated, by the verdict of `retryOn`: ids of calls, or "model". */
    readonly final?: readonly string[];
  }
>;
