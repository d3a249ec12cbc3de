import {
  createActor,
  isMachineSnapshot,
  StateMachine,
  transition,
  type AnyActorRef,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type InspectionEvent,
} from "xstate";
import { expect } from "vitest";

/** The machine with XState's own macrostep in place of its own. */
export function byXState<M extends AnyStateMachine>(machine: M): M {
  const value = StateMachine.prototype.transition.bind(machine);
  return Object.create(machine, { transition: { value } }) as M;
}

type Executed = { readonly type: string; readonly params: unknown; readonly info?: object };

/** Actors by their ids, and what they run. */
function plain(value: unknown): unknown {
  if (isActor(value)) return { actor: value.id, src: value.src, options: optionsOf(value) };
  if (isMachineSnapshot(value)) return snapshotData(value as AnyMachineSnapshot);
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}

const isActor = (value: unknown): value is AnyActorRef & { readonly src: unknown } =>
  value !== null && typeof value === "object" && "sessionId" in value && "send" in value;

function optionsOf(actor: AnyActorRef): unknown {
  const { input, syncSnapshot, systemId } = (actor as unknown as { options: { [name: string]: unknown } })
    .options;
  return { input, syncSnapshot, systemId };
}

/** All that a snapshot says, without the machine that it is of. */
export function snapshotData(snapshot: AnyMachineSnapshot): unknown {
  const { status, output, error, context, value, tags, children, historyValue } = snapshot;
  const services = Object.entries(children as { readonly [id: string]: AnyActorRef }).map(([id, child]) => [
    id,
    plain(child),
    child?.getSnapshot(),
  ]);
  const nodes = snapshot._nodes.map(({ id }) => id).toSorted();
  const message = error instanceof Error ? error.message : error;
  return {
    keys: Object.keys(snapshot),
    ...{ status, output, error: message, context, value, tags: [...tags], services, historyValue, nodes },
    meta: snapshot.getMeta(),
    json: Object.keys(snapshot.toJSON() as object),
  };
}

const actionData = ({ type, params, info }: Executed): unknown => {
  const { context, event } = info as { readonly context: unknown; readonly event: unknown };
  return { type, params: plain(params), context, event };
};

/** Compares what an event makes of a snapshot, and the actions and their order, with XState's own macrostep. */
export function expectAsByXState(machine: AnyStateMachine, before: AnyMachineSnapshot, event: object): void {
  const [snapshot, actions] = transition(machine, before, event as never);
  const [expected, expectedActions] = transition(byXState(machine), before, event as never);
  expect(snapshotData(snapshot as AnyMachineSnapshot)).toEqual(snapshotData(expected as AnyMachineSnapshot));
  expect(actions.map(actionData)).toEqual(expectedActions.map(actionData));
  if ((expected as unknown) === before) expect(snapshot).toBe(before);
}

/** An actor of a machine, and all that its inspectors and listeners are told, in the order in which they are. */
export function recorded(
  machine: AnyStateMachine,
  input: unknown,
  log: unknown[] = [],
): { readonly actor: AnyActorRef; readonly log: readonly unknown[] } {
  const inspect = ({ rootId: _, ...event }: InspectionEvent): void => void log.push(inspectionData(event));
  const actor = createActor(machine, { input, inspect });
  actor.on("*", (reply: object) => log.push({ emitted: reply }));
  actor.subscribe({
    next: (snapshot) => log.push({ seen: snapshotData(snapshot as AnyMachineSnapshot) }),
    error: (error) => log.push({ failed: String(error) }),
  });
  actor.start();
  return { actor: actor as AnyActorRef, log };
}

/** What an inspector is told, without the numbers that actors have in the process. */
export function inspectionData({ type, actorRef, ...data }: Omit<InspectionEvent, "rootId">): unknown {
  const about = type === "@xstate.actor" || actorRef === undefined ? {} : { of: idOf(actorRef) };
  const { _transitions, sourceRef, ...rest } = data as { [name: string]: unknown };
  return {
    type,
    ...about,
    ...(sourceRef !== undefined && { from: idOf(sourceRef) }),
    ...(_transitions !== undefined && { _transitions: JSON.parse(JSON.stringify(_transitions)) as unknown }),
    ...(plain(rest) as object),
  };
}

/** Root actors have a number of their own in the process. */
const idOf = (actor: unknown): string =>
  (actor as { readonly _parent?: unknown })._parent === undefined ? "" : (actor as AnyActorRef).id;
