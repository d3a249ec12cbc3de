import { guarded } from "../base/guarded.ts";
import { addressesOf, loadClient, watchersOf } from "./inspect.ts";
import type { Agent } from "./types.ts";
import type { AgentConfig, AgentWatcher } from "./agent-config.ts";

type Watch = ReturnType<AgentWatcher["watch"]>;

/** The inspectors that watch one agent. What they throw has no effect on it. */
export class Watches {
  readonly #watches: Watch[] = [];
  #loading: Promise<void> | undefined;

  /** Begins to watch, and to load the inspectors that are configured by address. `seq` returns the position of the agent's journal. */
  constructor(agent: Agent<never>, config: AgentConfig<never>, seq: () => number) {
    const watch = (watcher: AgentWatcher): void => {
      const made = guarded(() => watcher.watch(agent, config, seq));
      if (made) this.#watches.push(made);
    };
    const addresses = addressesOf(config);
    for (const watcher of watchersOf(config)) watch(watcher);
    if (addresses.length > 0) this.#loading = this.#load(addresses, watch);
  }

  /** Settles when the inspectors of all addresses are loaded; undefined if there is nothing to wait for. */
  get loading(): Promise<void> | undefined {
    return this.#loading;
  }

  /** An inspector that cannot be loaded is ignored. */
  async #load(addresses: readonly string[], watch: (watcher: AgentWatcher) => void): Promise<void> {
    for (const client of await Promise.allSettled(addresses.map(loadClient)))
      if (client.status === "fulfilled") watch(client.value);
    this.#loading = undefined;
  }

  /** The journal of the agent has grown. */
  committed(): void {
    for (const watch of this.#watches) guarded(() => watch.committed());
  }

  /** Resolves when the inspectors have sent all that happened. */
  async flushed(): Promise<void> {
    await Promise.allSettled(this.#watches.map(async (watch) => watch.flushed()));
  }
}
