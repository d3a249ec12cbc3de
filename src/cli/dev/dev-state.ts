import type { AboutAgents } from "./about-agents.ts";

/** The information about the server that the chat page is told. */
export type DevInfo = {
  /** The names of the agents that take sessions. */
  readonly agents: readonly string[];
  /** The words of their file about them. */
  readonly about: AboutAgents;
  /** The link of the inspector, with its token. */
  readonly inspector: string;
  /** The number of times that the agents were loaded again. */
  readonly reloads: number;
  /** The reason for which the newest agents do not run, or some of them cannot be made. */
  readonly problem?: string;
};

/** A value that pages follow. */
export class DevState {
  #info: DevInfo;
  readonly #listeners = new Set<() => void>();

  constructor(info: DevInfo) {
    this.#info = info;
  }

  get info(): DevInfo {
    return this.#info;
  }

  set(info: DevInfo): void {
    this.#info = info;
    for (const listener of this.#listeners) listener();
  }

  /** The value of now, and each later one, until the signal. */
  async *follow(signal: AbortSignal): AsyncGenerator<DevInfo> {
    let wake = (): void => {};
    const listener = (): void => wake();
    this.#listeners.add(listener);
    signal.addEventListener("abort", listener);
    try {
      for (let seen: DevInfo | undefined; !signal.aborted;) {
        if (seen === this.#info) await new Promise<void>((resolve) => (wake = resolve));
        else yield (seen = this.#info);
      }
    } finally {
      this.#listeners.delete(listener);
    }
  }
}
