import type { AnyActorRef, AnyStateMachine } from "xstate";
import { fromCallback, fromEventObservable, fromObservable, fromPromise, fromTransition } from "xstate";
import { agentLogics } from "../../agent/observed-systems.ts";
import type { ActorKind } from "../protocol/actor-info.ts";

/** The part of an actor of XState 5 that is read. */
export type ReadActor = AnyActorRef & { readonly logic?: unknown; readonly src?: unknown };

const subscribable = { subscribe: () => ({ unsubscribe: () => {} }) };

/** Makers of logic of each kind. It is compared as text, since a program may have another copy of XState. */
const MAKERS: { readonly [kind in "promise" | "callback" | "observable" | "transition"]: readonly object[] } =
  {
    promise: [fromPromise(() => Promise.resolve())],
    callback: [fromCallback(() => {})],
    observable: [
      fromObservable(() => subscribable as never),
      fromEventObservable(() => subscribable as never),
    ],
    transition: [fromTransition((state) => state, undefined)],
  };

/** Names that XState gives the events that actors of a kind send to themselves. */
const OWN_EVENTS: { readonly [kind in "promise" | "observable"]: RegExp } = {
  promise: /^xstate\.(?:promise|async)\./,
  observable: /^xstate\.observable\./,
};

let texts: ReadonlyMap<string, ActorKind> | undefined;

const textOf = (logic: object): string =>
  ["transition", "start"]
    .map((name) => {
      const part = (logic as { readonly [key: string]: unknown })[name];
      return typeof part === "function" ? Function.prototype.toString.call(part) : "";
    })
    .join("\n");

/** True for a machine of XState 5, of whichever copy of it. */
export function isMachine(logic: unknown): logic is AnyStateMachine {
  return typeof logic === "object" && logic !== null && "root" in logic && "getTransitionData" in logic;
}

/** Returns the machine of an actor; undefined if its logic is not a machine. */
export function machineOf({ logic }: ReadActor): AnyStateMachine | undefined {
  return isMachine(logic) ? logic : undefined;
}

/** Returns the kind of an actor, "actor" if XState does not tell it. */
export function kindOf(actor: ReadActor): ActorKind {
  const { logic } = actor;
  if (typeof logic !== "object" || logic === null) return "actor";
  if (agentLogics.has(logic)) return "agent";
  if (machineOf(actor)) return "machine";
  texts ??= new Map(
    Object.entries(MAKERS).flatMap(([kind, made]) =>
      made.map((each) => [textOf(each), kind as ActorKind] as const),
    ),
  );
  return texts.get(textOf(logic)) ?? "actor";
}

/** Returns the kind that an event of an actor to itself tells; undefined if it tells none. */
export function kindByEvent(type: string): ActorKind | undefined {
  return (["promise", "observable"] as const).find((kind) => OWN_EVENTS[kind].test(type));
}
