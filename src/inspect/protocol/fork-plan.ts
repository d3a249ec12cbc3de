import type { JsonObject } from "../../core/base/json.ts";

/** A place in a run, by a message. */
export type ForkPlace = { readonly messageId: string; readonly side: "with" | "before" };

/** A step of a run as its journal knows it: its time, its edges, and how many steps before it have the same of both. */
export type ForkStep = { readonly t: number; readonly x: readonly string[]; readonly nth: number };

/** The description of a possible fork. */
export type ForkPlan = {
  /** The steps before the asked one that are made again with it, since they were stored together; absent if no step was asked about. */
  readonly remade?: number;
  /** The text of the message that the run got here, if it rested: a fork that is started gets it again. Absent if there is none. */
  readonly input?: string;
  /** The calls that it would run again, as text. */
  readonly willRun: readonly string[];
  /** The agent that runs it; absent for a run that no process drives. */
  readonly agent?: {
    readonly system: string;
    readonly tools: readonly string[];
    /** The names of those that act each time they run: they may not be repeated by themselves (`onRestart`). Absent in plans of processes of 0.1.0. */
    readonly acting?: readonly string[];
    /** The names of the hooks, which run in each fork. Absent in plans of processes that cannot repeat recorded results. */
    readonly hooks?: readonly string[];
    readonly model: string;
    /** The names of the other models that it has. */
    readonly models: readonly string[];
    /** True if it may ask any model of the server of its own. */
    readonly hasOthers: boolean;
    /** Its options, without secrets. */
    readonly options: JsonObject;
  };
};
