import { createActor, type AnyActorScope, type ExecutableActionObject, type SnapshotFrom } from "xstate";
import { AgentError, errorFrom, type ErrorInfo } from "../core/base/error.ts";
import { acceleratedMachine } from "../../machines/chart/accelerator.ts";
import type { Refusal } from "../../machines/chart/definition.ts";
import type { HostEffect } from "../../machines/chart/machine-type.ts";
import { statePath } from "../../machines/chart/nodes.ts";
import {
  sessionResolver,
  type SessionContext,
  type SessionEvent,
  type SessionMachine,
} from "../../machines/session/session.machine.ts";

/** The effects that the chart of a session's life causes. */
export type LifeEffect = "read" | "begin" | "endAgent" | "releaseLease" | "abandonLease";

/** The session that has a life. */
export type LivingSession = { perform(effect: LifeEffect): void };

/** The reason for which the event that is being handled is refused; undefined if it is not. */
let refused: Refusal | undefined;

const lifeMachine = acceleratedMachine(
  sessionResolver,
  {},
  { isUnshared: () => true, stepTaken: (_, { step }) => (refused = step.refused) },
) as unknown as SessionMachine;

/** One actor stands for all sessions: their machine starts no services and sends nothing. */
const { system, ref } = createActor(lifeMachine);

const nothing = (): void => {};

/** The actions of the event that is being handled. */
let decided: ExecutableActionObject[] = [];

/** A scope in which nothing is executed. */
const SCOPE = {
  self: ref,
  system,
  id: "",
  sessionId: "",
  logger: nothing,
  defer: nothing,
  emit: nothing,
  stopChild: nothing,
  actionExecutor: (action: ExecutableActionObject) => void decided.push(action),
} as unknown as Parameters<SessionMachine["transition"]>[2] & AnyActorScope;

/** The life of one session in this process: the state of its machine, of which steps are taken as XState's `transition()` does. What
 *  else a snapshot has is the same for all sessions in that state. */
export class SessionLife {
  readonly #owner: LivingSession;
  #value: SnapshotFrom<SessionMachine>["value"] = "closed";
  #path = "closed";
  #context: SessionContext;

  constructor(session: Pick<SessionContext, "name" | "isDurable">, owner: LivingSession) {
    this.#owner = owner;
    this.#context = { ...session, leaseUntil: null, waitUntil: 0, error: null };
  }

  /** Handles an event and performs what it makes happen. Throws the refusal; its cause is the error that the session met. */
  send(event: SessionEvent): void {
    const snapshot = lifeMachine.resolveState({ value: this.#value, context: this.#context });
    refused = undefined;
    decided.length = 0;
    const { value, context } = lifeMachine.transition(snapshot, event, SCOPE);
    if (refused) throw errorFrom(refused as ErrorInfo, this.#context.error ?? undefined);
    if (value !== this.#value) [this.#value, this.#path] = [value, statePath(value)];
    this.#context = context;
    if (decided.length === 0) return;
    const actions = decided;
    decided = []; // an action may send the next event
    for (const { type, params } of actions)
      if (type === "perform") this.#owner.perform((params as unknown as HostEffect).name as LifeEffect);
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
