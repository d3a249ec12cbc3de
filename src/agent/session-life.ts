import { AgentError, errorFrom, type ErrorInfo } from "../base/error.ts";
import {
  sessionResolver,
  type SessionContext,
  type SessionEvent,
} from "../../machines/session/session.machine.ts";

/** What the chart of a session's life makes happen. */
export type LifeEffect = "read" | "begin" | "endAgent" | "releaseLease" | "abandonLease";

/** What has a life. */
export type LivingSession = { perform(effect: LifeEffect): void };

/** The life of one session in this process: runs its chart as pure transitions. */
export class SessionLife {
  readonly #owner: LivingSession;
  #path: string;
  #context: SessionContext;

  constructor(session: Pick<SessionContext, "name" | "isDurable">, owner: LivingSession) {
    this.#owner = owner;
    const { move, context } = sessionResolver.begin({
      ...session,
      leaseUntil: null,
      waitUntil: 0,
      error: null,
    });
    this.#path = move!.target;
    this.#context = context;
  }

  /** Handles an event and performs what it makes happen. Throws the refusal; its cause is the error that the session met. */
  send(event: SessionEvent): void {
    const step = sessionResolver.next(this.#path, this.#context, event);
    if (!step) return;
    if (step.refused) throw errorFrom(step.refused as ErrorInfo, this.#context.error ?? undefined);
    this.#path = step.move?.target ?? this.#path;
    this.#context = step.context;
    for (const effect of step.effects)
      if (effect.type === "host") this.#owner.perform(effect.name as LifeEffect);
  }

  /** Calls begin and commands are taken, and what happens is stored. */
  get isOpen(): boolean {
    return this.#path.startsWith("open.");
  }

  /** Another process has the session, and this one tries again soon. */
  get isWaiting(): boolean {
    return this.#path === "waiting";
  }

  get isQuarantined(): boolean {
    return this.#path === "quarantined";
  }

  /** Nothing of the session runs in this process any more. */
  get isOver(): boolean {
    return this.#path === "stopped" || this.#path === "lost";
  }

  /** The error that ended the agent; undefined while it is alive. */
  get endedBy(): AgentError | undefined {
    return this.isOver ? this.#context.error! : undefined;
  }
}
