// What a user can ask of a run from the inspector, and how it answers.
import type { ForkChanges } from "../../../machines/agent/prompt/edits.ts";
import type { ErrorInfo } from "../../core/base/error.ts";
import type { Json, JsonObject } from "../../core/base/json.ts";
import type { Decision, PendingCall } from "../../core/tool/pending.ts";
import type { ActorBreak } from "./actor-break.ts";
import type { ForkPlace, ForkStep } from "./fork-plan.ts";

/** The revision that the user saw (`leaf` of the row). A run that has continued since then answers `stale`. */
type ExpectedRevision = { readonly expect?: { readonly leaf: string } };

/** A command of a user to a run. Commands are idempotent: each `id` is executed once. */
export type RunCommand = { readonly id: string; readonly runId: string } & (
  | {
      readonly type: "decide";
      readonly callId: string;
      readonly decision: Decision;
      readonly argsHash: string;
    }
  | ({
      readonly type: "extendBudget";
      readonly extra: { readonly [limit: string]: number };
    } & ExpectedRevision)
  | { readonly type: "interrupt"; readonly text?: string }
  | { readonly type: "steer"; readonly text: string }
  /** A user message for a session at rest. */
  | ({ readonly type: "send"; readonly text: string } & ExpectedRevision)
  /** Stops at the next commit point; `resume` continues. */
  | { readonly type: "shutdown" }
  | ({ readonly type: "resume" } & ExpectedRevision)
  /** Sums up the conversation of a session at rest; `text` says what the summary is to keep. */
  | ({ readonly type: "compact"; readonly text?: string } & ExpectedRevision)
  /** Replaces the value of a slot, unless it has another revision by then (`slot/conflict`). */
  | { readonly type: "setSlot"; readonly name: string; readonly value: Json; readonly revision: number }
  /** Replaces the conditions at which an actor of XState is paused. */
  | { readonly type: "breakAt"; readonly breaks: readonly ActorBreak[] }
  /**
   * New sessions, `times` of them (1 to 20, default 1), that begin as the run was at `seq`, with changes. `start`
   * runs them, all at once: with `tools: "recorded"` no tool runs, and calls have the results that are recorded after `seq`.
   * Of a run that rests at `seq` they get the message with which it went on, or the text `input`.
   */
  | {
      readonly type: "fork";
      readonly seq: number;
      readonly changes?: ForkChanges;
      readonly times?: number;
      readonly start?: boolean;
      readonly tools?: "recorded" | "live";
      readonly input?: string;
    }
  /**
   * Says what a fork at `seq` would be, as a `ForkPlan` in `Ack.data`. With `at` it is one at the first position
   * that has this message (`with`), or at the one before it (`before`); with `step` one before this step, or at `seq` if the
   * journal does not say where that is. `Ack.seq` says which. Changes nothing.
   */
  | { readonly type: "forkPlan"; readonly seq: number; readonly at?: ForkPlace; readonly step?: ForkStep }
);

/** The types of commands that a user can give to a run. */
export type RunCommandType = RunCommand["type"];

/**
 * An open call with the input schema of its tool, if the tool is known; the page builds the edit form from it.
 */
export type PendingItem = PendingCall & { readonly inputSchema?: JsonObject };

/**
 * The outcome of a command. Codes besides the agent's own: `stale` (the run has changed since the user saw it),
 * `answered` (another user was first), `readonly`, `unavailable` (no process drives the run), `invalid`.
 */
export type Ack = {
  readonly id: string;
  /** True if the command was executed. */
  readonly ok: boolean;
  /** The position in the journal: after the command, or the one that `forkPlan` is for; 0 without a store. */
  readonly seq?: number;
  /** The result: `{ sessionIds, willRun }` of `fork`, a `ForkPlan` of `forkPlan`. */
  readonly data?: JsonObject;
  /** The reason for which the command was not executed. */
  readonly error?: {
    readonly code: ErrorInfo["code"] | "stale" | "answered" | "readonly" | "unavailable" | "invalid";
    readonly message: string;
  };
};
