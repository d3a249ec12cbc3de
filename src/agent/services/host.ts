// src/agent/services fills the slots of the agent's chart: model calls, tool runs, reviews, hooks, timers and commits.
import type { AgentError, ErrorInfo } from "../../core/base/error.ts";
import type { AnyHook } from "../../core/hook/types.ts";
import type { ToolUseBlock } from "../../core/message/types.ts";
import type { ClientTools } from "../../core/tool/client-tools.ts";
import type { FoundTool, SessionToolkit } from "../../core/tool/toolkit.ts";
import type { Schema, AnyTool } from "../../core/tool/types.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import type { Limits } from "../../../machines/agent/limits.ts";
import type { ModelCall } from "../../../machines/agent/model-call.ts";
import type { RuleStates } from "../../core/tool/rules/law.ts";
import type { Position } from "../../../machines/agent/services.ts";
import type { ResultLimits } from "../../../machines/agent/prompt/view.ts";
import type { Effect } from "../../../machines/chart/definition.ts";
import type { StepTaken } from "../../../machines/chart/accelerator.ts";
import type { AnyHookEvent } from "../../core/hook/types.ts";
import type { EventExtras } from "../../core/event/emitter.ts";
import type { AgentEventBody } from "../../core/event/types.ts";
import type { TrailStep } from "../breakpoints/trail.ts";
import type { Personas } from "../personas.ts";
import type { SessionTelemetry } from "../telemetry.ts";
import type { AnyAgentConfig, Permissions } from "../options/agent-config.ts";
import type { ParsedInputs } from "../../core/tool/prepare-input.ts";

/** The host that the services of one session use. The chart has no access to it. */
export type Host = {
  readonly sessionId: string;
  readonly config: AnyAgentConfig;
  readonly toolkit: SessionToolkit;
  readonly maxIters: number;
  /** Returns the tool for a call, or the result that says why it cannot be called. */
  find(call: ToolUseBlock): FoundTool;
  /** The schema of the structured answer that is asked for, and the tool that gives it; undefined if none is asked for. */
  output(): { readonly schema: Schema; readonly tool: AnyTool } | undefined;
  /** The personas of the agent; undefined if it has none. */
  readonly personas: Personas | undefined;
  /** Returns the permissions of the persona that has the session. */
  permissions(): Permissions | undefined;
  /** The hooks, in the order in which they run. */
  hooks(): readonly AnyHook[];
  /** The `context` of the current call, else of the agent. */
  context(): never;
  now(): number;
  newId(): string;
  emit(event: AgentEventBody, extras?: EventExtras): void;
  /** True if somebody listens to events of a type; others need not be created. */
  isHeard(type: AgentEventBody["type"]): boolean;
  /** Resolves when everything that has happened is durable. */
  commit(): Promise<void>;
  /** Performs an effect of the chart: `abortServices`, `armTimer` or `disarmTimer`. */
  perform(effect: HostEffect): void;
  /** The chart has taken a step. Called before the subscribers of the actor see its snapshot. */
  stepTaken(step: StepTaken<AgentContext>): void;
  /** Returns the steps of a session without a store that it has taken since this was asked, or since it has breakpoints: 1,000 at most. */
  takeSteps(): readonly TrailStep[];
  /** True if messages wait for the next request. */
  hasNews(): boolean;
  /** A request to a model is made. What describes it is made only if somebody records it. */
  modelCalled(describe: () => Omit<ModelCall, "number">): void;
  /** Adds a controller to those that the effect `abortServices` aborts, and returns a function that removes it. */
  hold(controller: AbortController): () => void;
  /** The parsed inputs of calls that wait for their execution. */
  readonly inputs: ParsedInputs;
  /** Keeps an error of a service as the cause of the error of its call, and returns it as data. */
  failed(error: AgentError): ErrorInfo;
  /** The fields that every hook receives. */
  hookEvent(position: Position, signal: AbortSignal): AnyHookEvent;
  /** Observes the session's services; undefined if nothing does. */
  readonly telemetry: SessionTelemetry | undefined;
  /** The limits with which the model sees tool results. */
  readonly results: ResultLimits;
  /** Reads a tool result that the model sees in part. */
  readonly readResult: AnyTool;
  /** The tools that the client of the session may declare; undefined if there are none. */
  readonly clientTools: ClientTools | undefined;
  /** The names of the agents inside of which this one runs, the outermost first, and its own. */
  readonly path: readonly string[];
  /** The limits of an agent inside of a call: its share of what is left of the budget. */
  shareOfBudget(callId: string): Limits;
  /** Returns the present memory of each rule; undefined if there are no rules. */
  ruleStates(): RuleStates | undefined;
  /** True if another call of the open batch waits for the agent of this session. */
  isWaitedFor(sessionId: string, byOtherThan: string): boolean;
  /** True once the session is left to another process, or to a later one: what runs is to be parked and not interrupted. */
  isLeft(): boolean;
  /** Lets the end of the session in this process wait for `work`. */
  holdEnd(work: Promise<unknown>): void;
};

/** An effect of the chart that the host performs. */
export type HostEffect = Extract<Effect, { readonly type: "host" }>;
