// The names under which the tests know XState 5, for XState 6: its promise actors, and the actions of a pure transition.
import {
  createAsyncLogic,
  initialTransition as begin,
  transition as next,
  type AnyActorLogic,
} from "xstate-6";

export * from "xstate-6";

export const fromPromise = (run: () => Promise<unknown>): AnyActorLogic => createAsyncLogic({ run });

/** For the drawing of a chart, which names guards and does not ask them. */
export const and = (guards: readonly unknown[]): object => ({ guards });

type Value = string | { readonly [key: string]: Value };

export const pathToStateValue = ([first = "", ...rest]: readonly string[]): Value =>
  rest.length === 0 ? first : { [first]: pathToStateValue(rest) };

type Effect = {
  readonly src: string;
  readonly actor: unknown;
  readonly kind: "builtin" | "emit" | "action";
  readonly type: string;
  readonly args: readonly unknown[];
  readonly event: unknown;
  readonly id: string;
  readonly input: unknown;
};

/** An effect as XState 5 names it. */
export const actionOf = ({ kind, type, args, event, id, src, input, actor }: Effect): object => {
  if (type === "@xstate.spawn")
    return { type: "xstate.spawnChild", params: { id, src, input, actorRef: actor } };
  if (kind === "emit") return { type: "xstate.emit", params: { event } };
  return { type, params: args?.[1] };
};

const inFive = ([snapshot, effects]: readonly [unknown, readonly unknown[]]) => [
  snapshot,
  (effects as readonly Effect[]).map(actionOf),
];

export const transition = (...args: Parameters<typeof next>) => inFive(next(...args));
export const initialTransition = (...args: Parameters<typeof begin>) => inFive(begin(...args));
