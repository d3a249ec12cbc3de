import { randomUUID } from "node:crypto";
import type { ActorLogic, ActorScope, AnyActorRef, Snapshot as XStateSnapshot } from "xstate";
import { AgentError, configError, agentErrorOf, errorFrom, type ErrorInfo } from "../../core/base/error.ts";
import type { Json } from "../../core/base/json.ts";
import { check } from "../../core/base/options.ts";
import type { OutputOf, Schema } from "../../core/tool/types.ts";
import { checkConfig } from "../../agent/options/config.ts";
import { observerOf } from "../../agent/inspect.ts";
import { agentLogics } from "../../agent/observed-systems.ts";
import type { AnyAgentConfig } from "../../agent/options/agent-config.ts";
import type { Input, Reply, Snapshot } from "../../agent/types.ts";
import {
  agentActorInputSchema,
  agentLogicSchema,
  type AgentActorCommand,
  type AgentActorEmitted,
  type AgentActorInput,
  type AgentActorSnapshot,
  type AgentLogicConfig,
  type AgentLogicOptions,
} from "./actor-options.ts";
import { isWhole, sealed } from "../../../machines/chart/persisted.ts";
import { parentOf } from "../../agent/services/from-service.ts";
import { ActorRun } from "./actor-run.ts";

/** The logic of agents as actors, which {@link agentLogic} makes. */
export type AgentLogic<O = undefined> = ActorLogic<
  AgentActorSnapshot<O>,
  AgentActorCommand,
  AgentActorInput,
  AnyActorRef["system"],
  AgentActorEmitted
>;

/** The reports of a run to its actor, as events of it. */
type Told =
  | ({ readonly type: "agentchart.rests" } & Pick<AnySnapshot, "phase" | "waitsFor" | "pending">)
  | { readonly type: "agentchart.done"; readonly reply: Reply<never> }
  | { readonly type: "agentchart.failed"; readonly error: AgentError }
  | { readonly type: "xstate.stop" };

type AnySnapshot = AgentActorSnapshot<never>;
type AnyScope = ActorScope<AnySnapshot, AgentActorCommand, AnyActorRef["system"], AgentActorEmitted>;

/** The outcome of an actor, and whether its parent has seen it. */
type Ended = { readonly reply?: Reply<never>; readonly error?: ErrorInfo; readonly isSeen: boolean };

/** An actor as it is persisted, always as active. XState waits for ever for a restored child that is done and whose parent has not seen
 *  that. */
type Persisted = XStateSnapshot<never> & {
  readonly sessionId: string;
  readonly key: string;
  readonly message?: Input;
  readonly phase: AnySnapshot["phase"];
  readonly waitsFor: AnySnapshot["waitsFor"];
  readonly pending: AnySnapshot["pending"];
  /** The session, without a store. */
  readonly session?: Snapshot;
  readonly ended?: Ended;
};

/** The data that belong to one actor in this process. */
type Live = {
  readonly run: ActorRun;
  readonly message: Input;
  readonly parent: AnyActorRef | undefined;
  /** The snapshot of the parent when it was told of the end; undefined before. */
  told?: unknown;
  /** An end that was persisted before the parent had seen it. */
  readonly unseen: ErrorInfo | undefined;
};

const ACTIVE = { status: "active", output: undefined, error: undefined } as const;
const COMMANDS: readonly string[] = ["decide", "steer", "interrupt", "extendBudget", "resume"];

class Logic {
  readonly #config: AnyAgentConfig;
  readonly #output: Schema | undefined;
  readonly #live = new WeakMap<object, Live>();
  /** The actor of a snapshot. */
  readonly #actors = new WeakMap<object, AnyActorRef>();

  constructor(config: AnyAgentConfig, output: Schema | undefined) {
    this.#config = config;
    this.#output = output;
  }

  getInitialSnapshot(scope: AnyScope, input: AgentActorInput = {}): AnySnapshot {
    check(agentActorInputSchema(), input, `agentLogic '${this.#config.name}'`, "The input");
    const newId = this.#config.sessionOptions?.newId ?? randomUUID;
    const { message, sessionId = newId(), key = newId() } = input;
    this.#bind(scope, { sessionId, key, message });
    return this.#of(scope.self, { ...ACTIVE, sessionId, key, phase: "opening", waitsFor: [], pending: [] });
  }

  restoreSnapshot(persisted: XStateSnapshot<unknown>, scope: AnyScope): AnySnapshot {
    const { sessionId, key, message, session, ended, phase, waitsFor, pending } = persisted as Persisted;
    if (typeof sessionId !== "string" || typeof key !== "string")
      throw new AgentError(
        "session/damaged",
        `agentLogic '${this.#config.name}': the snapshot has no session; expected one that getPersistedSnapshot() returned.`,
      );
    // those of 0.1.0 have no digest
    if ("digest" in persisted && !isWhole(persisted))
      throw new AgentError(
        "session/damaged",
        `agentLogic '${this.#config.name}': the snapshot was changed or cut since getPersistedSnapshot() returned it.`,
      );
    const base = { sessionId, key, phase, waitsFor, pending };
    this.#bind(scope, { sessionId, key, message, session, unseen: ended?.error });
    if (!ended?.isSeen) return this.#of(scope.self, { ...ACTIVE, ...base });
    if (ended.error) {
      const error = errorFrom(ended.error);
      return this.#of(scope.self, { status: "error", output: undefined, error, ...base });
    }
    return this.#of(scope.self, { status: "done", output: ended.reply!, error: undefined, ...base });
  }

  start(snapshot: AnySnapshot, scope: AnyScope): void {
    const live = this.#live.get(scope.self);
    if (snapshot.status !== "active" || !live) return;
    const { unseen } = live;
    const ref = scope.self as AnyActorRef;
    if (unseen)
      queueMicrotask(() => this.#tell(ref, { type: "agentchart.failed", error: errorFrom(unseen) }));
    else live.run.start({ ref, stop: (child) => scope.stopChild(child) });
  }

  transition(snapshot: AnySnapshot, event: AgentActorCommand | Told, { self }: AnyScope): AnySnapshot {
    if (snapshot.status !== "active") return snapshot;
    const rest = { phase: "stopped", waitsFor: [], pending: [] } as const;
    switch (event.type) {
      case "agentchart.rests": {
        const { phase, waitsFor, pending } = event;
        return this.#of(self, { ...snapshot, phase, waitsFor, pending });
      }
      case "agentchart.done":
        return this.#of(self, { ...snapshot, ...rest, status: "done", output: event.reply });
      case "agentchart.failed":
        return this.#of(self, { ...snapshot, ...rest, status: "error", error: event.error });
      case "xstate.stop":
        this.#live.get(self)?.run.stop();
        return this.#of(self, { ...snapshot, status: "stopped" });
      default:
        if (!COMMANDS.includes(event.type)) return snapshot;
        this.#live.get(self)?.run.command(event);
        return event.type === "decide" ? this.#of(self, withoutCall(snapshot, event.callId)) : snapshot;
    }
  }

  getPersistedSnapshot(snapshot: AnySnapshot): XStateSnapshot<unknown> {
    const { status, sessionId, key, phase, output, error } = snapshot;
    const actor = this.#actors.get(snapshot);
    const live = actor && this.#live.get(actor);
    const { store, sessionOptions } = this.#config;
    const redact = sessionOptions?.redact ?? ((value: Json) => value);
    const isSeen = live?.parent === undefined || live.parent.getSnapshot() !== live.told;
    const { waitsFor, pending, reply } = redact(
      JSON.parse(
        JSON.stringify({
          waitsFor: snapshot.waitsFor,
          pending: snapshot.pending,
          ...(status === "done" && isSeen && { reply: output }),
        }),
      ) as Json,
    ) as never as Pick<Persisted, "waitsFor" | "pending"> & Pick<Ended, "reply">;
    const session = store || reply ? undefined : live?.run.session();
    const info = status === "error" ? agentErrorOf(error, "run/closed").toJSON() : undefined;
    const persisted: Persisted = {
      ...ACTIVE,
      sessionId,
      key,
      ...(live?.message !== undefined && !session && { message: live.message }),
      phase,
      waitsFor,
      pending,
      ...(session && { session }),
      ...(reply && { ended: { reply, isSeen } }),
      ...(info && { ended: { error: info, isSeen } }),
    };
    return sealed(persisted);
  }

  #of(self: AnyScope["self"], snapshot: AnySnapshot): AnySnapshot {
    this.#actors.set(snapshot, self as AnyActorRef);
    return snapshot;
  }

  /** Tells an actor what has become of its turn. */
  #tell(self: AnyActorRef, event: Told): void {
    if (self.getSnapshot().status !== "active") return;
    const live = this.#live.get(self);
    if (live && event.type !== "agentchart.rests") live.told = live.parent?.getSnapshot();
    self.send(event as never);
  }

  #bind(
    { self, emit }: AnyScope,
    given: {
      readonly sessionId: string;
      readonly key: string;
      readonly message: Input;
      readonly session?: Snapshot | undefined;
      readonly unseen?: ErrorInfo | undefined;
    },
  ): void {
    const { sessionId, key, message, session, unseen } = given;
    const ref = self as AnyActorRef;
    const turn = { config: this.#config, output: this.#output, sessionId, key, message, session };
    const run = new ActorRun(turn, {
      rests: (status) => this.#tell(ref, { type: "agentchart.rests", ...status }),
      done: (reply) => this.#tell(ref, { type: "agentchart.done", reply }),
      failed: (error) => this.#tell(ref, { type: "agentchart.failed", error }),
      emit,
    });
    this.#live.set(ref, { run, message, parent: parentOf(ref), unseen });
  }
}

/** Returns the calls that are left to decide when a decision is on its way. So a parent that answers each snapshot answers each call once. */
function withoutCall(snapshot: AnySnapshot, decided: string): AnySnapshot {
  return { ...snapshot, pending: snapshot.pending.filter(({ callId }) => callId !== decided) };
}

function problemOf(config: AnyAgentConfig): string | undefined {
  const given =
    "sessionId" in config ? "sessionId" : config.sessionOptions?.snapshot && "sessionOptions.snapshot";
  if (given !== undefined)
    return `the agent has a \`${given}\`; expected none, because the input of each actor says where it works.`;
  if (observerOf(config))
    return "`inspect` has an XState observer; expected it in the options of the root actor, whose system the agent joins.";
  return undefined;
}

/**
 * Makes actor logic of an agent, for `setup({ actors: { researcher: agentLogic(…) } })` of a machine of yours. An actor is one turn: it
 * is done with the reply, active while it runs or is suspended, and fails with the AgentError of a rejected call. The parent sends it
 * `decide`, `steer`, `interrupt`, `extendBudget` and `resume`. Stopping the actor parks the turn. A parent that is restored from its
 * persisted snapshot finds the agent where it was: its session is in the `store`; without one the snapshot contains it. Throws
 * `config/invalid` for a wrong configuration; a wrong input is an error of the actor.
 *
 * @example
 * ```ts
 * import type { ChatModel } from "agentchart";
 * import { agentLogic } from "agentchart/team";
 * import { setup } from "xstate";
 *
 * export const deskOf = (model: ChatModel) =>
 *   setup({ actors: { researcher: agentLogic({ name: "researcher", model }) } }).createMachine({
 *     initial: "researching",
 *     states: {
 *       researching: {
 *         invoke: { src: "researcher", input: { message: "What is new?" }, onDone: "done", onError: "failed" },
 *       },
 *       done: { type: "final" },
 *       failed: {},
 *     },
 *   });
 * ```
 */
export function agentLogic<const S extends Schema | undefined = undefined, Ctx = unknown>(
  config: AgentLogicConfig<Ctx>,
  options: AgentLogicOptions<S> = {},
): AgentLogic<OutputOf<S>> {
  const agent = config as unknown as AnyAgentConfig;
  checkConfig(agent);
  const problem = problemOf(agent);
  if (problem !== undefined) throw configError(`agentLogic: ${problem}`);
  check(agentLogicSchema(), options, "agentLogic");
  const logic = new Logic(agent, options.output);
  const made = {
    config,
    getInitialSnapshot: (scope: AnyScope, input: AgentActorInput) => logic.getInitialSnapshot(scope, input),
    restoreSnapshot: (persisted: XStateSnapshot<unknown>, scope: AnyScope) =>
      logic.restoreSnapshot(persisted, scope),
    start: (snapshot: AnySnapshot, scope: AnyScope) => logic.start(snapshot, scope),
    transition: (snapshot: AnySnapshot, event: AgentActorCommand, scope: AnyScope) =>
      logic.transition(snapshot, event, scope),
    getPersistedSnapshot: (snapshot: AnySnapshot) => logic.getPersistedSnapshot(snapshot),
  };
  agentLogics.add(made);
  return made as unknown as AgentLogic<OutputOf<S>>;
}
