import type { RuleStates } from "../core/tool/rules/law.ts";
import type { Lease } from "../store/port.ts";
import type { CallsIn } from "../core/tool/calls.ts";
import type { AnyCall } from "../core/tool/pending.ts";
import type { OutputOf, Schema, Tool, Toolkit } from "../core/tool/types.ts";
import { AgentSession } from "./agent-session.ts";
import type { ActorAgent, InboxAgent, InnerAgent } from "./inbox-agent.ts";
import type { ActorParent } from "./live-chart.ts";
import type { ParentScope } from "./runtime-parts.ts";
import type { Agent, Reply } from "./types.ts";
import type { AgentConfig, AnyAgentConfig } from "./options/agent-config.ts";
import { errorInfo, type AgentError, type ErrorInfo } from "../core/base/error.ts";
import type { Msg } from "../core/message/types.ts";
import type { TurnStats } from "../../machines/agent/context.ts";
import { refusalOf } from "../../machines/agent/updates/entry.ts";
import { statsWithWaiting } from "../../machines/agent/updates/record.ts";
import { messagesOf } from "./options/config.ts";
import { resumableAt } from "./status.ts";

type Personas<Ctx> = NonNullable<AgentConfig<Ctx>["personas"]>;

/**
 * Creates an agent: one session of one statechart. Synchronous and without I/O; a stored session is read by `open` or by the first
 * call. Throws `config/invalid` that names the option that is wrong, and for a `snapshot` also `session/version` and
 * `session/damaged`.
 *
 * @example
 * ```ts
 * import { createAgent, defineTool } from "agentchart";
 * import { scriptedModel } from "agentchart/testing";
 *
 * const clock = defineTool({
 *   name: "clock",
 *   description: "Returns the current time.",
 *   input: { type: "object" },
 *   execute: () => new Date().toISOString(),
 * });
 * const model = scriptedModel([{ calls: [{ name: "clock", input: {} }] }, "It is late."]);
 * const agent = createAgent({ name: "assistant", model, tools: [clock] });
 *
 * const reply = await agent.call("What time is it?");
 * console.log(reply.text, reply.turn.usage);
 * await agent.close();
 * ```
 */
export function createAgent<
  Ctx = unknown,
  const T extends readonly Tool<Ctx>[] = readonly Tool<Ctx>[],
  K extends AnyCall = AnyCall,
  const P extends Personas<Ctx> = Personas<Ctx>,
>(
  config: AgentConfig<Ctx, T> & {
    readonly toolkit?: Pick<Toolkit<never, K>, "~calls"> | undefined;
    readonly personas?: P | undefined;
  },
): Agent<Ctx, CallsIn<T, K, P>> {
  return new AgentSession(config as unknown as AnyAgentConfig) as never;
}

/** Creates an agent for a worker. If `admit` rejects, `open` does so with its error. */
export function createInboxAgent(
  config: AnyAgentConfig,
  worker: Pick<ParentScope, "acquired" | "cache" | "isLeft"> & Required<Pick<ParentScope, "admit">>,
): InboxAgent {
  return new DrivenSession(config, worker);
}

/** Creates an agent that runs inside of a call of another one. `path`: the names of those inside of which it runs, and its own; `rules`:
 *  what the rules of that one remember. */
export function createInnerAgent(
  config: AnyAgentConfig,
  path: readonly string[],
  rules?: RuleStates,
): InnerAgent {
  return new DrivenSession(config, { path, ...(rules && { rules }) });
}

/** Creates an agent whose chart runs inside of an actor, in the system of that actor. */
export function createActorAgent(config: AnyAgentConfig, parent: ActorParent): ActorAgent {
  return new DrivenSession(config, { parent });
}

/** An agent that a worker, the call of another agent or an actor drives. */
export class DrivenSession extends AgentSession implements InboxAgent, InnerAgent, ActorAgent {
  async begin(...[input, inputId, options]: Parameters<InboxAgent["begin"]>): Promise<void> {
    await this.between("turn", false);
    let messages: readonly Msg[];
    try {
      messages = messagesOf(input, true);
      this.turns.accepted(options?.clientTools);
    } catch (error) {
      await this.refuse(inputId, errorInfo(error, "message/invalid"));
      throw error;
    }
    await this.turns.run(messages, { ...options, idempotencyKey: inputId });
  }

  refusalOf(input: readonly Msg[]): ErrorInfo | undefined {
    return refusalOf(this.runtime.context, { input, at: this.runtime.now() });
  }

  async writeSlot(...args: Parameters<InboxAgent["writeSlot"]>): Promise<void> {
    await this.slots.writeSlot(...args);
  }

  async refuse(inputId: string, error: ErrorInfo): Promise<void> {
    await this.ready();
    await this.runtime.refuse(inputId, error);
  }

  get stats(): TurnStats {
    return statsWithWaiting(this.runtime.context);
  }

  get lease(): Lease | undefined {
    return this.runtime.journal.lease;
  }

  get journal(): InboxAgent["journal"] {
    return this.runtime.journal;
  }

  get closedBy(): AgentError | undefined {
    return this.runtime.stoppedBy;
  }

  abandon(error: AgentError): void {
    this.runtime.abandon(error);
  }

  async rest(): Promise<void> {
    await this.runtime.rested();
  }

  lastReply<S extends Schema | undefined>(schema: S): Promise<Reply<OutputOf<S>>> {
    return this.turns.repeatReply(this.runtime.context, schema);
  }

  async touch(): Promise<void> {
    await this.ready();
    await this.runtime.journal.touch();
  }

  async acknowledge(inputId: string): Promise<void> {
    await this.ready();
    this.runtime.journal.acknowledge(inputId);
    await this.runtime.journal.touch();
  }

  wakeAt(): number | undefined {
    return this.runtime.phase === "suspended" ? resumableAt(this.runtime.context) : undefined;
  }
}
