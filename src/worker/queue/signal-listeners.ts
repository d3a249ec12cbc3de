import type { JsonObject } from "../../core/base/json.ts";

type Listener = (signal: JsonObject) => void;

/** The listeners of this process by channel. A listener that throws does not affect the others. */
export class SignalListeners {
  readonly #channels = new Map<string, Set<Listener>>();

  get channels(): readonly string[] {
    return [...this.#channels.keys()];
  }

  /** Returns true if the channel had no listeners before. */
  add(channel: string, listener: Listener): boolean {
    const listeners = this.#channels.get(channel) ?? new Set();
    this.#channels.set(channel, listeners.add(listener));
    return listeners.size === 1;
  }

  /** Returns true if the channel has no listeners any more. */
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
        // A listener that throws does not affect the others.
      }
    }
  }
}
