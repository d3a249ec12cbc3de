// The names under which the tests know XState 5, for XState 6: its promise actors, and the actions of a pure transition.
import {
  createAsyncLogic,
  createMachine,
  initialTransition as begin,
  transition as next,
  type AnyActorLogic,
} from "xstate-6";

export * from "xstate-6";

export const fromPromise = (run: () => Promise<unknown>): AnyActorLogic => createAsyncLogic({ run });

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

type Scope = {
  readonly context: object;
  readonly event: { readonly type: string; readonly actorId?: string };
};
type Enqueue = { spawn(src: unknown, options: object): unknown };
type Do = (
  scope: Scope & { readonly actors: { readonly [src: string]: unknown } },
  enqueue: Enqueue,
) => object | void;
type Change = { readonly [field: string]: unknown };

/** The events of services have the id in their type on XState 5. */
const inFiveNamed = ({ context, event }: Scope): Scope => ({
  context,
  event: event.actorId === undefined ? event : { ...event, type: `${event.type}.${event.actorId}` },
});

export const assign =
  (change: Change): Do =>
  (scope) =>
    Object.fromEntries(
      Object.entries(change).map(([field, value]) => [
        field,
        typeof value === "function" ? (value(inFiveNamed(scope)) as unknown) : value,
      ]),
    );

export const spawnChild =
  (src: string, options: object): Do =>
  ({ actors }, enqueue) =>
    void enqueue.spawn(actors[src], options);

type Edge = { readonly target?: string; readonly actions?: Do | readonly Do[] };

/** An edge, or what happens on entry, in the style of XState 6: a function. */
const edgeOf = (edge: string | Edge | undefined): unknown =>
  typeof edge !== "object" || !edge.actions
    ? edge
    : (scope: Parameters<Do>[0], enqueue: Enqueue) => {
        const context = [edge.actions!].flat().reduce((now, act) => {
          return { ...now, ...act({ ...scope, context: now }, enqueue) };
        }, scope.context);
        return { ...(edge.target && { target: edge.target }), context };
      };

type Config = { readonly [key: string]: never };
const each = (part: Config, change: (value: never, key: string) => unknown): object =>
  Object.fromEntries(Object.entries(part).map(([key, value]) => [key, change(value, key)]));

const EDGES = ["onDone", "onError", "onSnapshot"];

const inSix = (config: Config): object =>
  each(config, (value, key) => {
    if (key === "states") return each(value, inSix);
    if (key === "on") return each(value, edgeOf);
    if (key === "invoke") return each(value, (part, name) => (EDGES.includes(name) ? edgeOf(part) : part));
    if (key === "entry") return edgeOf({ actions: value });
    return key === "onDone" ? edgeOf(value) : value;
  });

/** Machines of tests, which have updates and services that they spawn, but no guards. */
export const setup = ({ actors }: { readonly actors: object }) => ({
  createMachine: (config: Config) => createMachine({ ...inSix(config), actors } as never),
});
