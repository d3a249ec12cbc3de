import type { JsonObject } from "../../base/json.ts";

type Listener = (signal: JsonObject) => void;

/** Who hears the signals of which channel, in this process. A listener that throws harms nobody. */
export class SignalListeners {
  readonly #channels = new Map<string, Set<Listener>>();

  get channels(): readonly string[] {
    return [...this.#channels.keys()];
  }

  /** True if nobody heard this channel before. */
  add(channel: string, listener: Listener): boolean {
    const listeners = this.#channels.get(channel) ?? new Set();
    this.#channels.set(channel, listeners.add(listener));
    return listeners.size === 1;
  }

  /** True if nobody hears this channel any more. */
  remove(channel: string, listener: Listener): boolean {
    const listeners = this.#channels.get(channel);
    if (!listeners?.delete(listener) || listeners.size > 0) return false;
    return this.#channels.delete(channel);
  }

  emit(channel: string, signal: JsonObject): void {
    for (const listener of this.#channels.get(channel) ?? []) {
      try {
        listener(signal);
      } catch {
        // its own affair
      }
    }
  }
}
