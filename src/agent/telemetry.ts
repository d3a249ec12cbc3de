import type { ErrorInfo } from "../core/base/error.ts";
import type { Json } from "../core/base/json.ts";
import type { Reason } from "../core/message/types.ts";
import type { ChatModel, ModelRequest } from "../core/model/port.ts";
import type { AnyTool } from "../core/tool/types.ts";
import type { ModelInput, ModelOutcome, ToolInput, ToolRunOutcome } from "../../machines/agent/services.ts";
import type { StepSource } from "./steps.ts";

/** The observer that follows the turns of agents and measures them: `otelObserver()` of `agentchart/otel` makes one. Its methods must not
 *  throw. */
export interface Telemetry {
  /** Called once for each agent. */
  observe(session: ObservedSession): SessionTelemetry;
}

/** The session of an agent, as its telemetry sees it. */
export type ObservedSession = {
  readonly name: string;
  readonly sessionId: string;
  /** The model that is asked first. */
  readonly model: ChatModel;
  /** The agent's option of this name. */
  readonly redact: ((value: Json) => Json) | undefined;
  readonly steps: StepSource;
};

/** A call that is about to begin a turn, or to go on with one. */
export type ObservedCall = {
  /** Number of the turn in the session, from 1. */
  readonly turn: number;
  /** True if it goes on with a turn that has begun, here or in another process. */
  readonly goesOn: boolean;
  /** The trace that the turn has stored. */
  readonly trace: string | undefined;
};

/** The way in which a turn came to rest. */
export type ObservedEnd = { readonly reason: Reason; readonly error?: ErrorInfo | undefined };

/** One attempt of a model call. */
export type ObservedModelCall = Pick<ModelInput, "phase" | "attempt"> & {
  readonly model: ChatModel;
  readonly request: ModelRequest;
};

/** Something that is being observed. `end` may be called more than once; the first counts. */
export type Observation<Outcome> = {
  /** Calls `run` as a part of what is observed. */
  run<T>(run: () => T): T;
  /** W3C `traceparent` for systems that it calls; undefined if nothing is recorded. */
  readonly traceparent: string | undefined;
  /** The first part of the answer is there. */
  first(): void;
  /** Undefined: it was abandoned, and its outcome is not known. */
  end(outcome: Outcome | undefined): void;
};

/** The outcome of a model call. */
export type ObservedAnswer = ModelOutcome & {
  readonly error?: ErrorInfo | undefined;
  readonly isCutOff: boolean;
};

/** Follows one session in this process. Undefined for what is not observed. */
export interface SessionTelemetry {
  /** Called right before the call; what it returns is stored with the turn, and given to the next call of the same turn. */
  beginTurn(call: ObservedCall): string | undefined;
  endTurn(end: ObservedEnd): void;
  model(call: ObservedModelCall): Observation<ObservedAnswer> | undefined;
  /** `tool` is absent if the agent has none of that name. */
  tool(call: ToolInput, tool: AnyTool | undefined): Observation<ToolRunOutcome> | undefined;
  /** Calls `run` as a part of the turn. */
  within<T>(run: () => T): T;
}
