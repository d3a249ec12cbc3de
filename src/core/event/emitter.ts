import { blockOf } from "./buffer.ts";
import type { AgentEvent, AgentEventBody } from "./types.ts";
import { freeze } from "../base/json.ts";

type Type = AgentEvent["type"];
type BlockEvent = Extract<AgentEventBody, { readonly type: `block.${"start" | "end"}` }>;
type Listener = (event: AgentEvent) => void;
type Subscription = {
  readonly listener: Listener;
  readonly types: ReadonlySet<Type> | undefined;
  readonly isCumulative: boolean;
  /** Number of the last event before the subscription. */
  readonly after: number;
  /** The blocks that were open then, of which nothing is delivered: their start is missing. */
  readonly missed: ReadonlySet<string> | undefined;
  isOver: boolean;
};
type Delivery = { readonly event: AgentEvent; readonly soFar: string | undefined };

/** The place of an event: the position of the journal, when it happened in epoch ms, and its turn. */
export type EventPlace = { readonly seq: number; readonly at: number; readonly turn: number };

/** The source of events. */
type EventSource = {
  readonly position: EventPlace;
  /** Returns an event of the session itself as it is to be shown; default: as it is. */
  shown?(body: AgentEventBody): AgentEventBody;
};

/** The data that an event may need besides its body. */
export type EventExtras = {
  /** The turn of the event; default the current one. */
  readonly turn?: number;
  /** The whole block so far, for cumulative listeners of a `block.delta`. */
  readonly soFar?: string;
  /** The agents inside of which it happened. */
  readonly source?: readonly string[];
};

const TYPES: { readonly [T in Type]: true } = {
  "turn.start": true,
  state: true,
  "model.start": true,
  "model.end": true,
  "block.start": true,
  "block.delta": true,
  "block.end": true,
  "output.partial": true,
  "compaction.start": true,
  "compaction.end": true,
  message: true,
  "tool.start": true,
  "tool.delta": true,
  "tool.end": true,
  pending: true,
  retry: true,
  slot: true,
  "session.taken": true,
  "agent.changed": true,
  handoff: true,
  "tool.omitted": true,
  "hook.failed": true,
  "input.refused": true,
  "turn.end": true,
};

/** The types of all events. */
export const EVENT_TYPES: readonly Type[] = Object.keys(TYPES) as Type[];

const NO_EXTRAS: EventExtras = {};
const NONE: readonly Subscription[] = [];

/** Numbers events and delivers them to listeners. What a listener throws is ignored, and an event that is emitted while another
 *  one is being delivered is delivered after it, so that every listener sees the same order. */
export class EventEmitter {
  // What an agent at rest does not need is undefined: a process may have thousands of them.
  #subscriptions: readonly Subscription[] | undefined;
  readonly #source: EventSource;
  #waiting: Delivery[] | undefined;
  #isDelivering = false;
  /** So many holds wait for what happened to be durable. */
  #holds = 0;
  #openBlocks: BlockEvent[] | undefined;
  #n = 0;

  /** Events are where `source` is when they happen. */
  constructor(source: EventSource) {
    this.#source = source;
  }

  /** Returns true if a listener wants one of these types; other events need not be created. */
  hasListeners(types: readonly Type[]): boolean {
    return this.#subscriptions !== undefined && types.some((type) => this.isHeard(type));
  }

  /** Returns true if a listener wants this type. */
  isHeard(type: Type): boolean {
    if (!this.#subscriptions) return false;
    for (const { types } of this.#subscriptions) if (!types || types.has(type)) return true;
    return false;
  }

  /** Delivers an event to the listeners that want its type; without any, no event is created and no number is used. */
  emit(body: AgentEventBody, extras: EventExtras = NO_EXTRAS): void {
    if (body.type === "block.start") (this.#openBlocks ??= []).push(body);
    if (body.type === "block.end") this.#close(body);
    if (!this.isHeard(body.type)) return;
    const event = this.#eventOf(body, extras);
    if (this.#isDelivering || this.#holds > 0)
      return void (this.#waiting ??= []).push({ event, soFar: extras.soFar });
    this.#isDelivering = true;
    this.#deliver(event, extras.soFar);
    this.#deliverWaiting();
  }

  #deliverWaiting(): void {
    this.#isDelivering = true;
    while (this.#waiting && this.#holds === 0) {
      const waiting = this.#waiting;
      this.#waiting = undefined;
      for (const { event: next, soFar } of waiting) this.#deliver(next, soFar);
    }
    this.#isDelivering = false;
  }

  /** Holds all events back, in their order, until `until` resolves. If it rejects, those of the types `unless` are dropped. */
  holdUntil(until: Promise<unknown>, unless: readonly Type[]): void {
    this.#holds++;
    until.then(
      () => this.#release(),
      () => this.drop(unless),
    );
  }

  /** Delivers what is held back, without the events of some types: what they tell was not stored. */
  drop(types: readonly Type[]): void {
    this.#waiting = this.#waiting?.filter(({ event }) => !types.includes(event.type));
    this.#holds = Math.min(this.#holds, 1);
    this.#release();
  }

  #release(): void {
    this.#holds = Math.max(0, this.#holds - 1);
    if (this.#holds === 0 && !this.#isDelivering) this.#deliverWaiting();
  }

  #close({ messageId, index }: BlockEvent): void {
    const left = this.#openBlocks?.filter((open) => open.messageId !== messageId || open.index !== index);
    this.#openBlocks = left && left.length > 0 ? left : undefined;
  }

  #deliver(event: AgentEvent, soFar: string | undefined): void {
    for (const { listener, types, isCumulative, after, missed, isOver } of this.#subscriptions ?? NONE) {
      if (isOver || event.n <= after || (types && !types.has(event.type))) continue;
      if (missed?.has(blockOf(event)!)) continue;
      try {
        const addsSoFar = isCumulative && soFar !== undefined && event.type === "block.delta";
        listener(addsSoFar ? Object.freeze({ ...event, soFar }) : event);
      } catch {
        // a turn must not fail because of a listener
      }
    }
  }

  #eventOf(body: AgentEventBody, { turn: ofTurn, source }: EventExtras): AgentEvent {
    const { seq, at, turn } = this.#source.position;
    const shown = source ? body : (this.#source.shown?.(body) ?? body);
    const event = { ...shown, seq, at, turn: ofTurn ?? turn, n: ++this.#n, ...(source && { source }) };
    const isFlat = event.type === "block.delta" || event.type === "tool.delta";
    return isFlat ? Object.freeze(event) : freeze(event);
  }

  /** Calls `listener` with every event from now on, or with those of `types` only, and returns a function that ends it. With
   *  `isCumulative`, a `block.delta` contains its whole block so far. */
  subscribe(listener: Listener, types?: readonly Type[], isCumulative = false): () => void {
    const missed = this.#openBlocks && new Set(this.#openBlocks.map((open) => blockOf(open)!));
    const subscription = {
      listener,
      types: types && new Set(types),
      isCumulative,
      after: this.#n,
      missed,
      isOver: false,
    };
    this.#subscriptions = [...(this.#subscriptions ?? NONE), subscription];
    return () => {
      subscription.isOver = true;
      const left = this.#subscriptions?.filter((each) => each !== subscription);
      this.#subscriptions = left && left.length > 0 ? left : undefined;
    };
  }
}
