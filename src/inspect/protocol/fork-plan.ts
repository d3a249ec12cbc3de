import type { JsonObject } from "../../core/base/json.ts";

/** A place in a run, by a message. */
export type ForkPlace = { readonly messageId: string; readonly side: "with" | "before" };

/** The description of a possible fork. */
export type ForkPlan = {
  /** The calls that it would run again, as text. */
  readonly willRun: readonly string[];
  /** The agent that runs it; absent for a run that no process drives. */
  readonly agent?: {
    readonly system: string;
    readonly tools: readonly string[];
    /** The names of those that act each time they run: they may not be repeated by themselves (`onRestart`). Absent in plans of processes of 0.1.0. */
    readonly acting?: readonly string[];
    readonly model: string;
    /** The names of the other models that it has. */
    readonly models: readonly string[];
    /** True if it may ask any model of the server of its own. */
    readonly hasOthers: boolean;
    /** Its options, without secrets. */
    readonly options: JsonObject;
  };
};
