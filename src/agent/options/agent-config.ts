// src/agent/options defines the options of agents and of calls: their types, their checks, and how options of one class are shared.
import type { InspectionEvent } from "xstate";
import type { Hook } from "../../core/hook/types.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { Msg } from "../../core/message/types.ts";
import type { ChatModel, GenerateOptions } from "../../core/model/port.ts";
import type { SessionStore } from "../../store/port.ts";
import type { Rule } from "../../core/tool/rules/rule.ts";
import type { PermissionAction, Tool, Toolkit } from "../../core/tool/types.ts";
import type { CompactionOptions, AnyAgent, Budget } from "../types.ts";
import type { ModelOptions, SessionOptions, ToolOptions, TurnOptions } from "./config-groups.ts";
import type { Telemetry } from "../telemetry.ts";

/** Order: deny rules, remembered rules, ask rules, the tool's own, allow rules, `otherwise` (`allow`).
 *  Judged on the parsed input that would run. */
export type Permissions = {
  readonly rules?:
    | readonly {
        /** A tool's name, in which `*` stands for any characters and `?` for one. A rule that matches no tool of the agent, of its
         *  groups and of its hooks is refused. */
        readonly tool: string;
        /** True for a rule that may match no tool yet, because one is added later; default false. */
        readonly optional?: boolean | undefined;
        readonly action: PermissionAction;
        /** Default: always. One that throws denies the call. */
        readonly when?: ((input: JsonObject) => boolean) | undefined;
        /** Shown to the person who decides, or to the model whose call is denied. */
        readonly reason?: string | undefined;
      }[]
    | undefined;
  /** For calls that no rule is about; default `allow`. */
  readonly otherwise?: PermissionAction | undefined;
  /** The time for which an approval is waited for, in ms; then the call is denied. So long are the questions of a call waited for, and then
   *  cancelled. Default: for ever. */
  readonly expiresAfterMs?: number | undefined;
};

/** One of the roles that an agent may have in a session, beside its own. */
export type Persona<Ctx = unknown> = {
  /** Its system prompt, in the place of that of the agent; default: none. */
  readonly sysPrompt?: string | undefined;
  /** Its tools, in the place of the `tools` of the agent; those of hooks are there for all. Default: none. */
  readonly tools?: readonly Tool<Ctx>[] | undefined;
  /** Its model; default: that of the agent. */
  readonly model?: ChatModel | undefined;
  /** The permissions of the persona. Rules of the agent that forbid or ask stand before its own. Default: the permissions of the agent. */
  readonly permissions?: Permissions | undefined;
};

/** A persona to which others may hand over a session. */
export type Handoff = {
  /** The name of the persona, or of the agent itself. The tool is `transfer_to_NAME`. */
  readonly to: string;
  /** The description by which the model chooses the tool. */
  readonly description: string;
  /** The personas that may hand over to it; default: all others, and the agent itself. */
  readonly from?: readonly string[] | undefined;
  /** The condition under which the tool is there. It is called with the messages of the session before each model call of a persona that
   *  may hand over, and before such a call runs. It must return the same for the same messages; if it throws or returns no boolean, the
   *  turn fails. Default: always. */
  readonly when?: ((messages: readonly Msg[]) => boolean) | undefined;
  /** The view that the persona has of what went before. `asText` (default): calls of tools that it does not have, as text. `full`:
   *  everything as it is. `summary`: a summary that the model of compactions makes, with the messages of the user that the turn answers;
   *  `asText` if there is none that is shorter. Needs `compaction`. */
  readonly view?: "asText" | "full" | "summary" | undefined;
};

/** The watcher of whole agents and not only of their charts; `inspector()` of `agentchart/inspect` makes one. */
export interface AgentWatcher {
  /** Called once by createAgent; `position` gives the journal position. An agent whose watcher throws runs unobserved by it. */
  watch(
    agent: AnyAgent,
    config: AnyAgentConfig,
    position: () => number,
  ): {
    /** The journal has grown to another position. What it throws has no effect. */
    committed(): void;
    /** Ends when all that was seen is sent, or soon; `close` of the agent waits for it. What it throws has no effect. */
    flushed(): Promise<void>;
  };
}

/** The observer that a caller may attach to watch an agent: an XState inspection observer or function, or an {@link AgentWatcher}. */
export type Inspector = { next?(e: InspectionEvent): void } | ((e: InspectionEvent) => void) | AgentWatcher;

/** Options of {@link createAgent}. `Tools`: the list of its tools, by which their calls are typed. */
export type AgentConfig<Ctx = unknown, Tools extends readonly Tool<Ctx>[] = readonly Tool<Ctx>[]> = {
  /** The name of the agent, which its messages carry. */
  readonly name: string;
  /** The system prompt of every model call; default: none. */
  readonly sysPrompt?: string | undefined;
  /** The model that answers. */
  readonly model: ChatModel;
  /** The tools that the model may call. Either `tools` or `toolkit`. */
  readonly tools?: Tools | undefined;
  /** A toolkit, which several agents may share. */
  readonly toolkit?: Toolkit<Ctx> | undefined;
  /** The hooks, which run in the order of their `priority`. */
  readonly hooks?: readonly Hook<Ctx>[] | undefined;
  /** The transcript with which a new session begins; default: empty. */
  readonly messages?: readonly Msg[] | undefined;
  /** Keeps the prompt within the model's window; the transcript is never shortened. See {@link CompactionOptions}; `false` turns it off,
   *  also when the model refuses a prompt as too long, and for `compact()`. Default: on. */
  readonly compaction?: false | CompactionOptions | undefined;
  /** Reasoning steps of a turn; then the model is asked for a summary. Default 10. */
  readonly maxIters?: number | undefined;
  /** The number of tool calls of one answer that run at once: `false` (default) one, `true` all, or a number. */
  readonly parallelToolCalls?: boolean | number | undefined;
  /** Options of every model call, such as `temperature`; default: those of the provider. */
  readonly generateOptions?: GenerateOptions | undefined;
  /** The rules by which tool calls run, ask for an approval, or are denied; default: all run. */
  readonly permissions?: Permissions | undefined;
  /** Rules about its calls, made by the functions of `agentchart/rules`: what may run only after what, how often, for whom. They hold for
   *  all personas, and for agents inside of its calls; those of the store stand before them. Default: none. */
  readonly rules?: readonly Rule[] | undefined;
  /** Other roles that the agent may have in a session, by name, each with a prompt and tools of its own. One has the session at a
   *  time, at first the agent itself; all see one transcript. */
  readonly personas?: { readonly [name: string]: Persona<Ctx> } | undefined;
  /** The ways in which personas hand the session over to each other: each entry is a tool, `transfer_to_NAME`. Needed with `personas`. */
  readonly handoffs?: readonly Handoff[] | undefined;
  /** Limits of each turn; default: none. */
  readonly budget?: Budget | undefined;
  /** A value for tools and hooks, or a function that returns it for a session. It is never stored; the function is called again in
   *  each process. */
  readonly context?:
    | Ctx
    | ((session: { readonly sessionId: string; readonly meta: JsonObject }) => Ctx)
    | undefined;
  /** The store of the session, from which it is restored when the agent is opened, and to which every step is saved. Default: the
   *  session stays in this process. */
  readonly store?: SessionStore | undefined;
  /** The id of the session; default: a new UUID. */
  readonly sessionId?: string | undefined;
  /** Labels of the session, such as its tenant, by which a store lists it; default: none. */
  readonly meta?: JsonObject | undefined;
  /** The observers of the agent. They are observers, inspectors, or the address of an inspector, with its token as `#w=…` unless the
   *  environment has it. `"auto"` finds the inspector that `agentchart inspect` starts on this machine, now or later. Default: nothing is
   *  observed. */
  readonly inspect?: "auto" | (string & {}) | Inspector | readonly Inspector[] | undefined;
  /** Spans and metrics of the turns, for OpenTelemetry: `otelObserver()` of `agentchart/otel`. Default: none. */
  readonly otel?: Telemetry | undefined;
  /** Fallback, retries, window and prices of the models. */
  readonly modelOptions?: ModelOptions | undefined;
  /** Search, time-outs and long results of the tools, and tools of clients. */
  readonly toolOptions?: ToolOptions | undefined;
  /** The options that end, bound and interrupt a turn. */
  readonly turnOptions?: TurnOptions | undefined;
  /** The options with which a session begins, by which it is saved, and by which clock and ids. */
  readonly sessionOptions?: SessionOptions | undefined;
};

/** The options of an agent for any context. */
export type AnyAgentConfig = AgentConfig<never>;
