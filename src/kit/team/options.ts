import * as s from "../../core/base/option-schema.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { executionSchema } from "../../core/model/execution-schema.ts";
import type { Execution } from "../../core/model/port.ts";
import type { ArgumentsOf } from "../../core/tool/calls.ts";
import type { OutputOf, Schema } from "../../core/tool/types.ts";
import { budgetSchema } from "../../agent/options/config-schema.ts";
import type { AnyAgentConfig } from "../../agent/options/agent-config.ts";
import type { SessionOptions } from "../../agent/options/config-groups.ts";
import type { Budget, Input } from "../../agent/types.ts";

/** The agent behind an {@link agentTool}. It has no session of its own: each call says where that is. */
export type AgentToolAgent = Omit<AnyAgentConfig, "store" | "sessionId" | "sessionOptions" | "context"> & {
  /** As those of any agent, but for what says how the session is saved: as that of the agent that calls. */
  readonly sessionOptions?: Omit<SessionOptions, "snapshot" | "durability" | "leaseMs"> | undefined;
  /** As the `context` of any agent; default: that of the agent that calls. */
  readonly context?: unknown;
};

/** The call for which an agent is made. */
export type AgentToolRequest<In = JsonObject> = {
  readonly input: In;
  readonly callId: string;
  /** The session of the agent that calls. */
  readonly parentId: string;
  /** The `context` of the agent that calls. */
  readonly context: unknown;
};

/** Options of {@link agentTool}. */
export type AgentToolOptions<S extends Schema | undefined = undefined, Name extends string = string> = {
  /** The agent, or a function that returns it for a call: each time the same for the same call, in any process. */
  readonly agent: AgentToolAgent | ((request: AgentToolRequest) => AgentToolAgent);
  /** Default: `call_` and the name of the agent; `call_agent` for a function. */
  readonly name?: Name | undefined;
  /** The description by which the model chooses the tool; default: `toolOptions.description` of the agent, else a sentence with its name. */
  readonly description?: string | undefined;
  /** The session in which the agent works. `perCall` (default): each call has a session of its own, PARENT/CALLID. `perName`: the agent
   *  remembers earlier calls, in PARENT/NAME; the model may name other conversations, which lie below that. A function returns the part
   *  behind "PARENT/", of up to 200 characters. Calls that may share a session run one after the other. */
  readonly session?: "perCall" | "perName" | ((request: AgentToolRequest) => string) | undefined;
  /** The arguments of the tool; default `{ message }`, and `session_id` with `perName`. Needs `prompt`. */
  readonly input?: S | undefined;
  /** The input of the agent; default: the argument `message`. */
  readonly prompt?:
    | ((input: S extends Schema ? OutputOf<S> : { readonly message: string }) => Input)
    | undefined;
  /** Asks the agent for an answer of this shape; the result is its JSON. */
  readonly output?: Schema | undefined;
  /** The part of the reply that is the result: its text (default), or all of it that a result can hold, images too. */
  readonly reply?: "text" | "all" | undefined;
  /** Limits of the agent. `share` (default): those of the agent, and an equal share of what is left of the parent's when the batch of
   *  calls begins. What it uses counts as used by the parent's turn in both cases. */
  readonly budget?: "share" | Budget | undefined;
  /** True (default): the events of the agent are events of the parent too, with `source`. False: its text is progress of the call. */
  readonly forward?: boolean | undefined;
  /** The maximum depth to which agents may call each other, counted from the outermost; default 3. */
  readonly maxDepth?: number | undefined;
  /** Time-out and attempts of a call; default: those of the parent's tools. */
  readonly execution?: Execution | undefined;
};

/** The arguments of the tool, as the model writes them. */
export type AgentToolArguments<S extends Schema | undefined> = S extends Schema
  ? ArgumentsOf<S>
  : { readonly message: string; readonly session_id?: string | null };

/** The options, as they are used inside of the room. */
export type AnyAgentToolOptions = AgentToolOptions<Schema | undefined>;

/** The schema of {@link AgentToolOptions}. */
export const agentToolSchema = s.lazily(() =>
  s.options<AnyAgentToolOptions>(
    {
      agent: s.either(
        s.object<AgentToolAgent>(),
        s.func<(request: AgentToolRequest) => AgentToolAgent>(),
        "the configuration of an agent, such as { name, model }, or a function that returns one",
      ),
      name: s.optional(s.matching(/^[\w-]{1,64}$/, '1 to 64 letters, digits, "_" or "-"')),
      description: s.optional(s.string()),
      session: s.optional(
        s.either(
          s.oneOf("perCall", "perName"),
          s.func<(request: AgentToolRequest) => string>(),
          '"perCall", "perName" or a function',
        ),
      ),
      input: s.optional(s.object<Schema>("a schema, such as z.object({ … })")),
      prompt: s.optional(s.func<NonNullable<AnyAgentToolOptions["prompt"]>>()),
      output: s.optional(s.object<Schema>("a schema, such as z.object({ … })")),
      reply: s.optional(s.oneOf("text", "all")),
      budget: s.optional(s.either(s.oneOf("share"), budgetSchema(), '"share" or limits')),
      forward: s.optional(s.boolean()),
      maxDepth: s.optional(s.integer(1)),
      execution: s.optional(executionSchema()),
    },
    { what: "options, such as { agent: { name, model } }" },
  ),
);
