import { fromPromise, initialTransition, transition, type AnyActorRef, type SnapshotFrom } from "xstate";
import { expect } from "vitest";
import type { Effect } from "../../../machines/chart/definition.ts";
import type { Node } from "../../../machines/chart/nodes.ts";
import type { Resolver, Step } from "../../../machines/chart/resolve.ts";
import { machineOf, type ChartMachine, type StepTaken } from "../../../machines/chart/xstate-5.ts";
import { leafOf } from "../../laws/explorer/pure.ts";
import type { ToyContext, ToyEvent } from "./toys.ts";

type Snapshot = SnapshotFrom<ChartMachine<ToyContext>>;
type Action = { readonly type: string; readonly params: unknown };
type Children = { readonly [id: string]: AnyActorRef };

/** An actor that a step starts. */
type Started = { readonly id: string; readonly input: unknown };

/**
 * One session of a chart, once by the resolver alone and once by the XState machine that is made of it. Each step is compared:
 * the state, the context, the effects and their order, the services that are started, stopped and kept, the reply, and the step
 * that the host is notified of.
 */
export class Both {
  readonly resolver: Resolver<ToyContext>;
  readonly machine: ChartMachine<ToyContext>;
  path: string;
  context: ToyContext;
  snapshot: Snapshot;
  /** Ids of the services that the chart has spawned and not stopped. */
  readonly #spawned = new Set<string>();

  constructor(resolver: Resolver<ToyContext>, input: ToyContext) {
    this.resolver = resolver;
    this.machine = machineOf(resolver, { work: fromPromise(() => new Promise<unknown>(() => {})) });
    const step = resolver.begin(input);
    const [snapshot, actions] = initialTransition(this.machine, input);
    this.path = step.move!.target;
    this.context = step.context;
    this.snapshot = snapshot;
    this.#compare(step.effects, this.#servicesIn(this.path), undefined, actions);
  }

  /** Sends an event to both. Returns the step of the resolver. */
  send(event: ToyEvent): Step<ToyContext> | undefined {
    let step: Step<ToyContext> | undefined;
    try {
      step = this.resolver.next(this.path, this.context, event);
    } catch (error) {
      expect(() => transition(this.machine, this.snapshot, event)).toThrow((error as Error).message);
      throw error;
    }
    const [snapshot, actions] = transition(this.machine, this.snapshot, event);
    const { path: from, snapshot: before } = this;
    const { move, effects = [] } = step ?? {};
    const left = move ? this.#servicesIn(from, move.within).map(({ id }) => id) : [];

    this.path = move?.target ?? from;
    this.context = step?.context ?? this.context;
    this.snapshot = snapshot;
    const entered = move ? this.#servicesIn(this.path, move.within) : [];
    this.#compare(effects, entered, step && { event, from, step }, actions);
    const changed = effects.flatMap((effect) => (effect.type === "host" ? [] : [effect.id]));
    const kept = Object.entries(before.children as Children).filter(
      ([id]) => ![...left, ...changed].includes(id),
    );
    for (const [id, child] of kept) expect((snapshot.children as Children)[id]).toBe(child);
    return step;
  }

  #compare(
    effects: readonly Effect[],
    entered: readonly Started[],
    taken: StepTaken<ToyContext> | undefined,
    actions: readonly Action[],
  ): void {
    for (const effect of effects) {
      if (effect.type === "spawn") this.#spawned.add(effect.id);
      if (effect.type === "stop") this.#spawned.delete(effect.id);
    }
    const paramsOf = (type: string) =>
      actions.filter((action) => action.type === type).map(({ params }) => params);
    const running = this.#servicesIn(this.path).map(({ id }) => id);
    const started = (paramsOf("xstate.spawnChild") as readonly Started[]).map(({ id, input }) => ({
      id,
      input,
    }));
    const spawned = effects.flatMap((effect) =>
      effect.type === "spawn" ? [{ id: effect.id, input: effect.input }] : [],
    );
    const { event, step } = taken ?? {};
    const answer = step?.refused ? { type: "refused", ...step.refused } : { type: "accepted" };

    expect(leafOf(this.snapshot.value)).toBe(this.path);
    expect(this.snapshot.context).toEqual(this.context);
    expect(Object.keys(this.snapshot.children).toSorted()).toEqual([...running, ...this.#spawned].toSorted());
    expect(started.toSorted(byId)).toEqual([...spawned, ...entered].toSorted(byId));
    expect(paramsOf("perform")).toEqual(effects.filter(({ type }) => type === "host"));
    expect(paramsOf("stepTaken")).toEqual(taken ? [taken] : []);
    expect(paramsOf("xstate.emit")).toEqual(
      event?.id === undefined ? [] : [{ event: { ...answer, id: event.id } }],
    );
  }

  /** The services of a state and of those around it, up to the state `within`, which is left out. */
  #servicesIn(path: string, within?: string): readonly Started[] {
    const limit = within === undefined ? undefined : this.resolver.node(within);
    const found: Started[] = [];
    for (
      let node: Node<ToyContext> | undefined = this.resolver.node(path);
      node !== limit;
      node = node?.parent
    ) {
      if (node) found.push(...node.services.map(({ id, input }) => ({ id, input: input(this.context) })));
    }
    return found;
  }
}

const byId = (a: Started, b: Started): number => a.id.localeCompare(b.id);
