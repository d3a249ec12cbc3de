import { errorInfo, type AgentError, type ErrorInfo } from "../core/base/error.ts";
import type { Msg } from "../core/message/types.ts";
import type { Lease } from "../store/port.ts";
import type { OutputOf, Schema } from "../core/tool/types.ts";
import type { TurnStats } from "../../machines/agent/context.ts";
import { refusalOf } from "../../machines/agent/updates/entry.ts";
import { statsWithWaiting } from "../../machines/agent/updates/record.ts";
import { AgentSession } from "./agent-session.ts";
import { messagesOf } from "./options/config.ts";
import type { ActorAgent, InboxAgent, InnerAgent } from "./inbox-agent.ts";
import { resumableAt } from "./status.ts";
import type { Reply } from "./types.ts";

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
