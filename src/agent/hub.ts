import type { AgentEvent, AgentEventBody } from "./types.ts";

type Listener = (event: AgentEvent) => void;

/** Hands events to listeners, numbered. A listener that throws harms nobody. */
export class EventHub {
  readonly #listeners = new Set<Listener>();
  readonly #frame: () => { readonly seq: number; readonly at: number; readonly turn: number };
  #n = 0;

  constructor(frame: () => { readonly seq: number; readonly at: number; readonly turn: number }) {
    this.#frame = frame;
  }

  /** True if somebody listens. */
  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  publish(body: AgentEventBody): void {
    if (!this.isHeard) return;
    this.#n++;
    const event: AgentEvent = { ...this.#frame(), n: this.#n, ...body };
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch {
        // the listener's own affair: a turn must not fail because somebody watches it
      }
    }
  }

  subscribe(listener: Listener): () => void {
    const own: Listener = (event) => listener(event);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }
}
