import type { HookPoint } from "../../src/hook/types.ts";
import type { Msg } from "../../src/message/types.ts";
import type { AgentContext, CallRecord, Limits, WantedOutput } from "./context.ts";

/** The events that the agent machine handles. `at` is the time of the event, in epoch milliseconds. */
export type AgentMachineEvent =
  | {
      readonly type: "call";
      readonly at: number;
      readonly input: readonly Msg[];
      readonly wanted?: WantedOutput;
    }
  | {
      readonly type: "run.interrupt";
      readonly at: number;
      readonly cause: "user" | "signal" | "timeout";
      readonly message?: Msg;
      readonly reply?: string;
    }
  | { readonly type: "run.steer"; readonly at: number; readonly message: Msg }
  | { readonly type: "session.observe"; readonly at: number; readonly messages: readonly Msg[] }
  | { readonly type: "session.resume"; readonly at: number; readonly input: readonly Msg[] }
  | {
      readonly type: "tool.decide";
      readonly at: number;
      readonly callId: string;
      readonly decision: NonNullable<CallRecord["decided"]>;
    }
  | { readonly type: "run.shutdown"; readonly at: number }
  | { readonly type: "session.load"; readonly context: AgentContext }
  | { readonly type: "budget.extend"; readonly at: number; readonly extra: Limits }
  | { readonly type: "hooks.listen"; readonly points: readonly HookPoint[] };
