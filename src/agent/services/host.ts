// src/agent/services fills the slots of the agent's chart: model calls, tool runs, reviews, hooks, timers and commits.
import type { AnyActorRef } from "xstate";
import { AgentError } from "../../base/error.ts";
import type { Hook } from "../../hook/types.ts";
import type { Msg, ToolUseBlock } from "../../message/types.ts";
import type { FoundTool, SessionToolkit } from "../../tool/toolkit.ts";
import type { Schema, Tool } from "../../tool/types.ts";
import type { Position } from "../../../machines/agent/services.ts";
import type { HookEvent } from "../../hook/types.ts";
import type { EventExtras } from "../../event/emitter.ts";
import type { AgentEventBody } from "../../event/types.ts";
import type { AgentConfig } from "../types.ts";
import type { ParsedInputs } from "./parsed-inputs.ts";

/** What the services of one session may use. The chart does not know it. */
export type Host = {
  readonly sessionId: string;
  readonly config: AgentConfig<never>;
  readonly toolkit: SessionToolkit;
  readonly maxIters: number;
  /** A tool that may be called, or the result that says why not. */
  find(call: ToolUseBlock): FoundTool;
  /** The structured answer that the running call asked for. */
  output(): { readonly schema: Schema; readonly tool: Tool<never> } | undefined;
  /** In the order they run. */
  hooks(): readonly Hook<never>[];
  context(): never;
  now(): number;
  newId(): string;
  emit(event: AgentEventBody, extras?: EventExtras): void;
  /** Ends when all that happened is durable. */
  commit(): Promise<void>;
  /** Aborts the signals of what runs; the services then end by themselves. */
  abort(): void;
  /** Lets {@link Host.abort} abort this controller too. Returns the way to take it out again. */
  hold(controller: AbortController): () => void;
  /** The parsed inputs of calls that wait for their execution. */
  readonly inputs: ParsedInputs;
  /** The fields that every hook receives. */
  hookEvent(position: Position, signal: AbortSignal): HookEvent<never>;
  /** What the model sees of the transcript. */
  view(messages: readonly Msg[]): readonly Msg[];
};

const hosts = new WeakMap<AnyActorRef, Host>();

/** Binds the actor of an agent machine to its host. One actor system may hold several agents. */
export function bindHost(agent: AnyActorRef, host: Host): void {
  hosts.set(agent, host);
}

/** The host of an agent machine. Throws `config/no-slot` for an actor that createAgent() did not start. */
export function hostOf(agent: AnyActorRef | undefined): Host {
  const host = agent && hosts.get(agent);
  if (!host) throw new AgentError("config/no-slot", "This actor was not started by createAgent().");
  return host;
}
