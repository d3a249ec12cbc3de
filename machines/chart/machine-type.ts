import type {
  AnyActorLogic,
  AnyActorRef,
  EventObject,
  MetaObject,
  NonReducibleUnknown,
  StateMachine,
  StateValue,
} from "xstate";
import type { Effect } from "./definition.ts";

/** The names of a chart with what they mean, each with its own parameters. */
export type Names = {
  readonly guards: object;
  readonly updates: object;
  readonly effects: object;
};

/** The services of a machine by their slots. */
export type Slots = { readonly [src: string]: AnyActorLogic };

/** The slots of a machine that starts no services. With an empty object in its place, `provide` would take any name for an actor. */
export type NoSlots = { readonly [none: string & { readonly none: true }]: AnyActorLogic };

/** The parameters that a function of a vocabulary takes; undefined if it takes none. */
type ParamsOf<Implementation> = Implementation extends (
  context: never,
  event: never,
  params: infer Params,
) => unknown
  ? unknown extends Params
    ? undefined
    : Params
  : undefined;
type Parameterized<Part> = {
  [Name in keyof Part & string]: { readonly type: Name; readonly params: ParamsOf<Part[Name]> };
}[keyof Part & string];

/** An effect that the host of a machine performs. */
export type HostEffect = Extract<Effect, { readonly type: "host" }>;
type Perform = { readonly type: "perform"; readonly params: HostEffect };

type Provided<S extends Slots> = {
  [Src in keyof S & string]: { readonly src: Src; readonly logic: S[Src]; readonly id: string | undefined };
}[keyof S & string];

/** The outcome of a service, as the event of its state. */
export type ServiceEvent =
  | {
      readonly type: `xstate.done.actor.${string}`;
      readonly output: unknown;
      readonly actorId: string;
    }
  | {
      readonly type: `xstate.error.actor.${string}`;
      readonly error: unknown;
      readonly actorId: string;
    };

/** The XState machine of a chart: its guards and actions are the names of the chart's vocabulary, its actors the slots of its services. */
export type ChartMachine<
  Context extends object,
  Command extends { readonly type: string },
  N extends Names,
  S extends Slots,
> = StateMachine<
  Context,
  Command | ServiceEvent,
  { readonly [id: string]: AnyActorRef | undefined },
  Provided<S>,
  Parameterized<N["updates"]> | Parameterized<N["effects"]> | Perform,
  Parameterized<N["guards"]>,
  string,
  StateValue,
  "decision",
  Context | undefined,
  NonReducibleUnknown,
  EventObject,
  MetaObject,
  { readonly id: string },
  { readonly refuse?: string }
>;
