import { AgentError } from "../base/error.ts";
import { freeze } from "../base/freeze.ts";
import type { AgentEvent, AgentEventBody } from "./types.ts";

type Type = AgentEvent["type"];
type Listener = (event: AgentEvent) => void;
type Subscription = {
  readonly listener: Listener;
  readonly types: ReadonlySet<Type> | undefined;
  readonly isCumulative: boolean;
  /** The last event before it. */
  readonly after: number;
};
type Told = { readonly event: AgentEvent; readonly soFar: string | undefined };

/** What an event needs besides its body. */
export type EventExtras = {
  /** The turn it belongs to, if that is another one than the one that runs. */
  readonly turn?: number;
  /** The whole block that it is a delta of, for listeners that are cumulative. */
  readonly soFar?: string;
};

const TYPES: { readonly [T in Type]: true } = {
  "turn.start": true,
  state: true,
  "model.start": true,
  "model.end": true,
  "block.start": true,
  "block.delta": true,
  "block.end": true,
  message: true,
  "tool.start": true,
  "tool.delta": true,
  "tool.end": true,
  pending: true,
  retry: true,
  "hook.failed": true,
  "input.refused": true,
  "turn.end": true,
};

const NO_EXTRAS: EventExtras = {};

/** Hands events to listeners, numbered. A listener that throws harms nobody, and none can change what others get: what
 *  happens because of one that acts is told to everybody behind the event it acted on. */
export class EventHub {
  readonly #subscriptions = new Set<Subscription>();
  readonly #frame: () => { readonly seq: number; readonly at: number; readonly turn: number };
  readonly #waiting: Told[] = [];
  #isTelling = false;
  #n = 0;

  constructor(frame: () => { readonly seq: number; readonly at: number; readonly turn: number }) {
    this.#frame = frame;
  }

  /** True if somebody listens to one of these types: other events need not be made. */
  hears(types: readonly Type[]): boolean {
    return types.some((type) => this.#isWanted(type));
  }

  #isWanted(type: Type): boolean {
    for (const { types } of this.#subscriptions) if (!types || types.has(type)) return true;
    return false;
  }

  publish(body: AgentEventBody, { turn, soFar }: EventExtras = NO_EXTRAS): void {
    if (!this.#isWanted(body.type)) return;
    const told = { event: this.#framed(body, turn), soFar };
    if (this.#isTelling) return void this.#waiting.push(told);
    this.#isTelling = true;
    this.#tell(told);
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) this.#tell(next);
    this.#isTelling = false;
  }

  #tell({ event, soFar }: Told): void {
    for (const { listener, types, isCumulative, after } of this.#subscriptions) {
      if (event.n <= after || (types && !types.has(event.type))) continue;
      try {
        const isWhole = isCumulative && soFar !== undefined;
        listener(isWhole && event.type === "block.delta" ? Object.freeze({ ...event, soFar }) : event);
      } catch {
        // the listener's own affair: a turn must not fail because somebody watches it
      }
    }
  }

  #framed(body: AgentEventBody, ofTurn?: number): AgentEvent {
    const { seq, at, turn } = this.#frame();
    const event = { ...body, seq, at, turn: ofTurn ?? turn, n: ++this.#n };
    const isFlat = event.type === "block.delta" || event.type === "tool.delta";
    return isFlat ? Object.freeze(event) : freeze(event);
  }

  /** Without `types`, all of them. Throws `config/invalid` for a type there is not. */
  subscribe(listener: Listener, types?: readonly Type[], isCumulative = false): () => void {
    if (types && !(Array.isArray(types) && types.every((type) => Object.hasOwn(TYPES, String(type))))) {
      const known = Object.keys(TYPES).join(", ");
      throw new AgentError(
        "config/invalid",
        `subscribe: \`types\` is ${JSON.stringify(types)}; expected a list of: ${known}.`,
      );
    }
    const subscription = { listener, types: types && new Set(types), isCumulative, after: this.#n };
    this.#subscriptions.add(subscription);
    return () => void this.#subscriptions.delete(subscription);
  }
}
