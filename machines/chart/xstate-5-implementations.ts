import {
  assign,
  createMachine,
  enqueueActions,
  transition,
  type AnyActor,
  type AnyStateMachine,
} from "xstate";
import { AgentError, configError } from "../../src/core/base/error.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import { withoutFacts, type Effect } from "./definition.ts";
import type { Named } from "./nodes.ts";
import type { Persistence } from "./persisted.ts";
import type { Resolver } from "./resolve.ts";

/** Any function, guard, action or logic that XState takes. */
export type Implementations = { readonly [name: string]: unknown };
/** The implementations that `provide` takes. */
export type Provided = {
  readonly guards?: Implementations;
  readonly actions?: Implementations;
  readonly actors?: Implementations;
  readonly delays?: Implementations;
};
type Args = { readonly context: object; readonly event: object };
export type Params = JsonObject & { readonly afterActions?: readonly Ref[] };
/** A guard or an action in a configuration. */
export type Ref = string | { readonly type: string; readonly params?: Params };
type Judge = (args: Args, params: Params | undefined) => unknown;

/** The parameter of a guard that is judged behind actions. */
export const AFTER = "afterActions";

export const refOf = ({ name, params }: Named): Ref => (params ? { type: name, params } : name);
export const typeOf = (ref: Ref): string => (typeof ref === "string" ? ref : ref.type);
const paramsOf = (ref: Ref): Params | undefined => (typeof ref === "string" ? undefined : ref.params);

/** The parts of which a machine is made. */
export type Made<Context extends object> = {
  readonly resolver: Resolver<Context>;
  readonly config: object;
  /** The guards that join several of the chart. */
  readonly joined: Implementations;
  readonly persistence: Persistence<Context> | undefined;
  readonly actors: Implementations;
  readonly perform: unknown;
};

/** The own implementations of a chart, with those that were provided in their place. */
export function implementationsOf<Context extends object>(
  { resolver, joined, actors, perform }: Made<Context>,
  provided: Required<Provided>,
): Required<Provided> {
  const { guards, updates, effects } = resolver.chart.vocabulary;
  const actions = {
    ...mapped(updates, (update) =>
      assign((({ context, event }: Args, params: unknown) =>
        withoutFacts(update(context as Context, event as never, params as never))) as never),
    ),
    ...mapped(effects, (effect) =>
      enqueueActions((({ context, event, enqueue, self }: Args & Enqueuing, params: unknown) =>
        enqueueEffects(enqueue, self, effect(context as Context, event as never, params as never))) as never),
    ),
    perform,
    ...provided.actions,
  };

  /** The context that actions make of another, as XState would. */
  const contextAfter = (context: object, event: object, refs: readonly Ref[]): object =>
    refs.reduce((now: object, ref) => {
      const name = typeOf(ref);
      if (!Object.hasOwn(provided.actions, name))
        return {
          ...now,
          ...withoutFacts(updates[name]!(now as Context, event as never, paramsOf(ref) as never)),
        };
      const probe = probeOf({ actions: ref }, { actions });
      const [{ context: next }] = transition(probe, probe.resolveState({ value: {}, context: now }), {
        ...event,
      } as never);
      return next as object;
    }, context);

  const behindActions =
    (judge: Judge): Judge =>
    ({ context, event }, params) => {
      if (params?.[AFTER] === undefined) return judge({ context, event }, params);
      const { [AFTER]: refs, ...own } = params;
      const args = { context: contextAfter(context, event, refs as readonly Ref[]), event };
      return judge(args, Object.keys(own).length > 0 ? own : undefined);
    };

  const given = mapped(provided.guards, (guard, name) =>
    behindActions((args, params) => {
      const isPlain = typeof guard === "function" && !("check" in guard);
      const held = isPlain
        ? (guard as Judge)(args, params)
        : probeOf({ guard: name, actions: () => {} }, { guards: provided.guards })
            .resolveState({ value: {}, context: args.context })
            .can(args.event as never);
      if (typeof held === "boolean") return held;
      throw configError(`The provided guard '${name}' returned ${String(held)}; expected true or false.`);
    }),
  );
  const own = mapped(guards, (judge) =>
    behindActions(({ context, event }, params) => judge(context as Context, event as never, params as never)),
  );
  return {
    actions,
    guards: { ...own, ...joined, ...given },
    actors: { ...actors, ...provided.actors },
    delays: provided.delays,
  };
}

const mapped = <Value>(
  parts: { readonly [name: string]: Value },
  make: (part: Value, name: string) => unknown,
): Implementations =>
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, make(part, name)]));

/** A machine of one state, which tells what a guard or an action comes to. */
const probeOf = (onEvent: object, implementations: object): AnyStateMachine =>
  createMachine({ on: { "*": onEvent } } as never).provide(implementations as never) as never;

type Enqueuing = { readonly enqueue: Enqueue; readonly self: unknown };
type Enqueue = {
  (action: object): void;
  spawnChild(src: string, options: object): void;
  stopChild(id: string): void;
};

/** Hands the effects of a chart to the `enqueue` of XState. */
function enqueueEffects(enqueue: Enqueue, self: unknown, effects: readonly Effect[]): void {
  for (const effect of effects) {
    if (effect.type === "spawn") {
      const { actors } = ((self as AnyActor).logic as AnyStateMachine).implementations;
      if (!Object.hasOwn(actors, effect.src)) throw noService(effect.src);
      enqueue.spawnChild(effect.src, { id: effect.id, input: effect.input });
    } else if (effect.type === "stop") enqueue.stopChild(effect.id);
    else enqueue({ type: "perform", params: effect });
  }
}

export const noService = (src: string): AgentError =>
  new AgentError("config/no-slot", `The machine has no service '${src}'.`);
