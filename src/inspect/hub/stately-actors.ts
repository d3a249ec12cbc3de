import {
  createMachine,
  type AnyStateMachine,
  type AnyTransitionDefinition,
  type InspectionEvent,
} from "xstate";
import { guarded } from "../../core/base/guarded.ts";
import { isObject } from "../../core/base/json.ts";
import { activeStates, type ActorSnapshot } from "../client/actor-chart.ts";

/** Actors of a connection that are known; of more, the oldest are forgotten. */
const MAX_ACTORS = 1_000;
/** Events of an actor that were sent and not processed yet. */
const MAX_WAITING = 1_000;

type Told = { readonly type: string };
type Fields = { readonly [field: string]: unknown };

/** An actor of a program, in the place of the actor that XState's own inspection events refer to. */
class ToldActor {
  readonly sessionId: string;
  readonly id: string;
  readonly system: object;
  readonly _parent: ToldActor | undefined;
  readonly logic: AnyStateMachine | undefined;
  readonly waiting: { readonly text: string; readonly event: Told }[] = [];
  snapshot: ActorSnapshot | undefined;

  constructor(sessionId: string, id: string, parent?: ToldActor, logic?: AnyStateMachine) {
    this.sessionId = sessionId;
    this.id = id;
    this.system = parent?.system ?? {};
    this._parent = parent;
    this.logic = logic;
  }

  getSnapshot(): ActorSnapshot | undefined {
    return this.snapshot;
  }
}

/**
 * The actors of a program that reports with `@statelyai/inspect`. Its messages become the inspection events of XState that they were made of.
 * They tell neither actions nor transitions: a transition is concluded where only one can have been taken.
 */
export class StatelyActors {
  readonly #actors = new Map<string, ToldActor>();

  /** Returns the inspection events that a message tells, none for a message of another kind. */
  take(message: unknown): readonly InspectionEvent[] {
    if (!isObject(message)) return [];
    const { type, sessionId, event } = message;
    if (typeof sessionId !== "string") return [];
    if (type === "@xstate.actor") return this.#added(sessionId, message);
    if (!isTold(event)) return [];
    if (type === "@xstate.event") return this.#sent(this.#actorOf(sessionId), event, message);
    if (type === "@xstate.snapshot") return this.#processed(this.#actorOf(sessionId), event, message);
    return [];
  }

  #added(sessionId: string, { name, parentId, definition, snapshot }: Fields): readonly InspectionEvent[] {
    const known = this.#actors.get(sessionId);
    if (known && (known.snapshot?.status ?? "active") === "active") return [];
    const parent = typeof parentId === "string" ? this.#actors.get(parentId) : undefined;
    const logic = guarded(() => machineOf(definition, snapshot));
    const id = typeof name === "string" ? name : sessionId;
    const actorRef = this.#add(new ToldActor(sessionId, id, parent, logic));
    return [eventOf({ type: "@xstate.actor", actorRef })];
  }

  /** The actor of an id; one whose message is missing, since it was sent too early, is known by its id only. */
  #actorOf(sessionId: string): ToldActor {
    return this.#actors.get(sessionId) ?? this.#add(new ToldActor(sessionId, sessionId));
  }

  #add(actor: ToldActor): ToldActor {
    this.#actors.set(actor.sessionId, actor);
    if (this.#actors.size > MAX_ACTORS) this.#actors.delete(this.#actors.keys().next().value!);
    return actor;
  }

  #sent(actorRef: ToldActor, event: Told, { sourceId }: Fields): readonly InspectionEvent[] {
    const { waiting } = actorRef;
    if (waiting.length < MAX_WAITING) waiting.push({ text: JSON.stringify(event), event });
    const sourceRef = typeof sourceId === "string" ? this.#actors.get(sourceId) : undefined;
    return [eventOf({ type: "@xstate.event", actorRef, sourceRef, event })];
  }

  #processed(actorRef: ToldActor, told: Told, { snapshot }: Fields): readonly InspectionEvent[] {
    const now = isObject(snapshot) ? snapshotOf(snapshot) : {};
    const before = actorRef.snapshot;
    actorRef.snapshot = now;
    const text = JSON.stringify(told);
    const place = actorRef.waiting.findIndex((each) => each.text === text);
    const [sent] = place < 0 ? [] : actorRef.waiting.splice(0, place + 1).slice(-1);
    const event = sent?.event ?? told;
    const taken = before && actorRef.logic && guarded(() => concluded(actorRef.logic!, before, now, event));
    return [
      ...(taken ? [eventOf({ type: "@xstate.microstep", actorRef, _transitions: [taken] })] : []),
      eventOf({ type: "@xstate.snapshot", actorRef, event, snapshot: now }),
    ];
  }
}

function isTold(value: unknown): value is Told {
  return isObject(value) && typeof value["type"] === "string";
}

/** The fields of an inspection event that are read. */
function eventOf(fields: Fields): InspectionEvent {
  return fields as unknown as InspectionEvent;
}

/** The machine of a definition; undefined for that of another actor, which has nothing but an id. */
function machineOf(definition: unknown, snapshot: unknown): AnyStateMachine | undefined {
  if (typeof definition !== "string") return undefined;
  const config: unknown = JSON.parse(definition);
  if (!isObject(config)) return undefined;
  const hasValue = isObject(snapshot) && snapshot["value"] !== undefined;
  return hasValue || isObject(config["states"]) ? createMachine(config) : undefined;
}

/** A snapshot whose children are known by the ids of their actors, as those of XState are. */
function snapshotOf({ children, ...snapshot }: Fields): ActorSnapshot {
  if (!isObject(children)) return snapshot;
  const known = Object.entries(children).map(
    ([id, child]) => [id, { sessionId: isObject(child) ? (child["id"] ?? id) : id }] as const,
  );
  return { ...snapshot, children: Object.fromEntries(known) };
}

/** Returns the only transition of a machine that leads from a configuration to another one at an event; undefined if several may. */
function concluded(
  machine: AnyStateMachine,
  before: ActorSnapshot,
  now: ActorSnapshot,
  { type }: Told,
): AnyTransitionDefinition | undefined {
  const left = new Set(activeStates(machine, before.value));
  const active = new Set(activeStates(machine, now.value));
  const possible: AnyTransitionDefinition[] = [];
  for (const id of left)
    for (const transitions of machine.getStateNodeById(id).transitions.values())
      for (const each of transitions) {
        const { eventType, target } = each;
        if (eventType === type && target?.every((to) => active.has(to.id) && !left.has(to.id)))
          possible.push(each);
      }
  return possible.length === 1 ? possible[0] : undefined;
}
