import {
  createActor,
  isMachineSnapshot,
  StateMachine,
  type AnyActorRef,
  type AnyMachineSnapshot,
  type AnyStateMachine,
} from "xstate";
import { expect } from "vitest";
import type { Resolver } from "../../../machines/chart/resolve.ts";
import type * as Accelerator from "../../../machines/chart/accelerator.ts";

type Executed = { readonly type: string; readonly params: unknown };
type Outcome = {
  readonly snapshot: unknown;
  readonly actions: readonly unknown[];
  readonly emitted: readonly unknown[];
  readonly error: string | undefined;
};

const isActor = (value: unknown): value is AnyActorRef & { readonly src: unknown } =>
  value !== null && typeof value === "object" && "sessionId" in value && "send" in value;

/** Values with the actors in them as their ids, sources and inputs. */
function plain(value: unknown): unknown {
  if (isActor(value)) {
    const { input, syncSnapshot, systemId } = (value as unknown as { options: { [name: string]: unknown } })
      .options;
    return { actor: value.id, src: value.src, input, syncSnapshot, systemId };
  }
  if (isMachineSnapshot(value)) return snapshotData(value as AnyMachineSnapshot);
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}

/** All that a snapshot says, without the machine that it is of. */
export function snapshotData(snapshot: AnyMachineSnapshot): object {
  const { status, output, error, context, value, tags, children, historyValue } = snapshot;
  const message = error instanceof Error ? error.message : error;
  return {
    keys: Object.keys(snapshot).toSorted(),
    ...{ status, output, error: message, context, value, tags: [...tags], historyValue },
    children: plain({ ...children }),
    nodes: snapshot._nodes.map(({ id }) => id).toSorted(),
    meta: snapshot.getMeta(),
    json: Object.keys(snapshot.toJSON() as object).toSorted(),
  };
}

/** A machine as a pure function, with all that it wants to happen. */
class Pure {
  readonly machine: AnyStateMachine;
  readonly #self: AnyActorRef;

  constructor(machine: AnyStateMachine) {
    this.machine = machine;
    this.#self = createActor(machine);
  }

  take(snapshot: AnyMachineSnapshot, event: object): Outcome & { readonly next?: AnyMachineSnapshot } {
    const actions: unknown[] = [];
    const emitted: unknown[] = [];
    const self = this.#self;
    const scope = {
      ...{ self, system: self.system, id: "", sessionId: "" },
      ...{ logger: () => {}, defer: () => {}, stopChild: () => {} },
      emit: (event: unknown) => emitted.push(event),
      actionExecutor: ({ type, params }: Executed) => actions.push({ type, params: plain(params) }),
    };
    try {
      const next = this.machine.transition(snapshot, event, scope as never) as AnyMachineSnapshot;
      return { next, snapshot: snapshotData(next), actions, emitted, error: undefined };
    } catch (error) {
      return { snapshot: undefined, actions: [], emitted: [], error: (error as Error).message };
    }
  }

  begin(input: unknown): AnyMachineSnapshot {
    const self = this.#self;
    const scope = { self, system: self.system, defer: () => {}, actionExecutor: () => {} };
    return this.machine.getInitialSnapshot(scope as never, input) as AnyMachineSnapshot;
  }
}

/** What makes an accelerated machine: that of the sources, or one with a planted fault. */
export type Engine = {
  readonly resolverOf: (chart: never) => Resolver<never>;
  readonly acceleratedMachine: typeof Accelerator.acceleratedMachine;
};

/**
 * The accelerated machine of a chart, and XState's unmodified machine on the same configuration, which never asks the resolver.
 * Each event is given to both, and the outcomes are compared: state, context, tags, services, actions and their order, what is
 * emitted, and errors.
 */
export class Twins {
  readonly #fast: Pure;
  readonly #plain: Pure;

  /** `configured`: the machine that the configuration and the implementations are taken from. */
  constructor(
    resolver: Resolver<never>,
    actors: object,
    accelerated: Engine["acceleratedMachine"],
    configured?: AnyStateMachine,
  ) {
    const fast = accelerated(resolver, actors as never, {
      isUnshared: () => true,
      stepTaken: () => {},
    }) as unknown as AnyStateMachine;
    const { config, implementations } = configured ?? fast;
    this.#fast = new Pure(fast);
    this.#plain = new Pure(new StateMachine(config as never, implementations as never) as never);
  }

  begin(input: unknown): AnyMachineSnapshot {
    return this.#plain.begin(input);
  }

  /** Returns XState's next snapshot, or undefined if the event fails in both. Throws if the two differ. */
  send(before: AnyMachineSnapshot, event: object): AnyMachineSnapshot | undefined {
    const { value, context, children } = before;
    const at = (machine: AnyStateMachine) =>
      ({ ...machine.resolveState({ value, context }), children: { ...children } }) as never;
    const given = { ...event };
    const { next: _, ...fast } = this.#fast.take(at(this.#fast.machine), given);
    const { next, ...plain } = this.#plain.take(at(this.#plain.machine), given);
    expect(fast).toEqual(plain);
    return next;
  }
}
