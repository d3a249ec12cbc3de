import type { Snapshot as XStateSnapshot } from "xstate";
import type { AgentError } from "../../core/base/error.ts";
import * as s from "../../core/base/option-schema.ts";
import type { AgentEvent } from "../../core/event/types.ts";
import type { Msg } from "../../core/message/types.ts";
import type { Decision } from "../../core/tool/pending.ts";
import type { Schema } from "../../core/tool/types.ts";
import type { AgentConfig } from "../../agent/options/agent-config.ts";
import type { SessionOptions } from "../../agent/options/config-groups.ts";
import type { Budget, Input, Reply, Status } from "../../agent/types.ts";

/** The agent behind an {@link agentLogic}: each actor says which session it works in. */
export type AgentLogicConfig<Ctx = unknown> = Omit<AgentConfig<Ctx>, "sessionId" | "sessionOptions"> & {
  readonly sessionOptions?: Omit<SessionOptions, "snapshot"> | undefined;
};

/** Options of {@link agentLogic} beside the agent. */
export type AgentLogicOptions<S extends Schema | undefined = undefined> = {
  /** Asks for an answer of this shape, found in `event.output.output`. */
  readonly output?: S | undefined;
};

/** The input with which an agent's actor is invoked or spawned. */
export type AgentActorInput = {
  /** The input of the agent: a text, a message or messages. Default: nothing, and the model is called with what the session has. */
  readonly message?: Input | undefined;
  /** The idempotency key of the turn, of at least 1 character. An actor with the key and the message of an earlier one in the same stored
   *  session gets the outcome of that turn. Default: a new id, which the persisted snapshot keeps. */
  readonly key?: string | undefined;
  /** The session in which the agent works; default: a new one, which the persisted snapshot names. */
  readonly sessionId?: string | undefined;
};

/** The commands that a parent sends to an agent's actor. What the agent refuses is emitted as {@link AgentRefused}, and changes nothing. */
export type AgentActorCommand =
  /** As `Agent.decide`; once everything is decided, the turn goes on. */
  | {
      readonly type: "decide";
      readonly callId: string;
      readonly decision: Decision;
      readonly argsHash?: string | undefined;
      readonly by?: string | undefined;
    }
  /** As `Agent.steer`. */
  | { readonly type: "steer"; readonly message: string | Msg }
  /** As `Agent.interrupt`; the actor is then done with a reply whose `reason` is `INTERRUPTED`. */
  | { readonly type: "interrupt"; readonly message?: string | Msg | undefined }
  /** As `Agent.extendBudget`; the turn goes on if that is enough. */
  | { readonly type: "extendBudget"; readonly extra: Omit<Budget, "onExceeded"> }
  /** Goes on with a turn that a hook has stopped before its tools ran. */
  | { readonly type: "resume" };

/** Emitted when the agent has refused a command. */
export type AgentRefused = {
  readonly type: "agent.refused";
  readonly command: AgentActorCommand;
  readonly error: AgentError;
};

/** The events that an agent's actor emits: each event of the agent, and commands that it refused. */
export type AgentActorEmitted = { readonly type: "agent.event"; readonly event: AgentEvent } | AgentRefused;

/** The snapshot of an agent's actor. It is `active` while the turn runs or is suspended, `done` with the reply of a turn that has
 *  stopped, and has the status `error` with an AgentError if the call was rejected. */
export type AgentActorSnapshot<O = undefined> = XStateSnapshot<Reply<O>> &
  Pick<Status, "waitsFor" | "pending"> & {
    readonly sessionId: string;
    readonly key: string;
    /** `opening`: the session is opened. `running`, `suspended`, `stopped`: as in {@link Status}. */
    readonly phase: "opening" | "running" | "suspended" | "stopped";
  };

/** The schema of {@link AgentLogicOptions}. */
export const agentLogicSchema = s.lazily(() =>
  s.options<AgentLogicOptions<Schema | undefined>>({
    output: s.optional(s.object<Schema>("a schema, such as z.object({ … })")),
  }),
);

/** The schema of {@link AgentActorInput}. */
export const agentActorInputSchema = s.lazily(() =>
  s.options<AgentActorInput>(
    { message: s.anything(), key: s.optional(s.nonEmpty()), sessionId: s.optional(s.nonEmpty()) },
    { what: "the input of an agent's actor, such as { message }" },
  ),
);
