import { AgentError } from "../error/error.ts";
import type { Hook } from "../hook/types.ts";
import type { Msg, ToolUseBlock } from "../message/types.ts";
import type { FoundTool, SessionToolkit } from "../tool/toolkit.ts";
import type { Schema, Tool } from "../tool/types.ts";
import type { Position } from "../turn/services.ts";
import type { At } from "../hook/types.ts";
import type { EventExtras } from "./hub.ts";
import type { AgentConfig, AgentEventBody } from "./types.ts";

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
  publish(event: AgentEventBody, extras?: EventExtras): void;
  /** Ends when all that happened is durable. */
  commit(): Promise<void>;
  /** Aborts the signals of what runs; the services then end by themselves. */
  abort(): void;
  /** Lets {@link Host.abort} abort this controller too. Returns the way to take it out again. */
  hold(controller: AbortController): () => void;
  at(position: Position, signal: AbortSignal): At<never>;
  /** What the model sees of the transcript. */
  view(messages: readonly Msg[]): readonly Msg[];
};

const hosts = new WeakMap<object, Host>();

/** Binds a running session to what its services use. */
export function bindHost(system: object, host: Host): void {
  hosts.set(system, host);
}

/** The host of the session a service runs in. */
export function hostOf(system: object): Host {
  const host = hosts.get(system);
  if (!host) throw new AgentError("config/no-slot", "This actor was not started by createAgent().");
  return host;
}
