import type { AgentError } from "../core/base/error.ts";
import type { EventEmitter } from "../core/event/emitter.ts";
import type { AnyHook } from "../core/hook/types.ts";
import type { JournalOptions } from "../session/journal.ts";
import type { RuleStates } from "../core/tool/rules/law.ts";
import type { SessionToolkit } from "../core/tool/toolkit.ts";
import type { Schema } from "../core/tool/types.ts";
import type { AgentContext } from "../../machines/agent/context.ts";
import type { StepFacts } from "../../machines/agent/facts.ts";
import type { ActorParent } from "./live-chart.ts";

// What a runtime is made with.

/** The functions that the runtime calls. */
export type RuntimeListener = {
  /** Called when the chart has accepted a call, before anything of it runs. */
  onCall(): void;
  /** Called when a turn has come to rest, with what the step did that brought it there. */
  onSettled(context: AgentContext, step: StepFacts): void;
  /** Called when the journal has grown. */
  onCommitted(): void;
  /** Called once, when the agent has ended. */
  onStopped(error: AgentError): void;
  readonly around: ParentScope;
};

/** The place in this process where a session runs: the actors, agents and workers around it. */
export type ParentScope = Pick<JournalOptions, "acquired" | "admit" | "cache" | "isLeft"> & {
  /** The names of the agents inside of which this one runs, and its own. */
  readonly path?: readonly string[];
  /** The memory of the rules of the agent around it; absent: there is no memory. */
  readonly rules?: RuleStates;
  /** The actor inside of which the chart runs, in its system; default: none. */
  readonly parent?: ActorParent;
};

/** The parts of one runtime that an agent retains for the next one of its session. */
export type SharedParts = {
  /** Events go to the listeners of all runtimes. */
  readonly events: EventEmitter;
  /** Default: the tools of the configuration. */
  toolkit?: SessionToolkit;
  /** Default: the hooks of the configuration. */
  hooks?: readonly AnyHook[];
  /** The schema of the structured answer that a call of this process asked for. */
  schema?: Schema | undefined;
};
