import { addressesOf, loadClient, watchersOf } from "./inspect.ts";
import type { Agent, AgentConfig, AgentWatcher } from "./types.ts";

type Watch = ReturnType<AgentWatcher["watch"]>;

/** The inspectors that watch one agent. */
export class Watches {
  readonly #watches: Watch[];
  #loading: Promise<void> | undefined;

  /** Begins to watch, and to load the inspectors that are configured by address. `seq` returns the position of the agent's journal. */
  constructor(agent: Agent<never>, config: AgentConfig<never>, seq: () => number) {
    const watch = (watcher: AgentWatcher): Watch => watcher.watch(agent, config, seq);
    const addresses = addressesOf(config);
    this.#watches = watchersOf(config).map(watch);
    if (addresses.length > 0) this.#loading = this.#load(addresses, watch);
  }

  /** Settles when the inspectors of all addresses are loaded; undefined if there is nothing to wait for. */
  get loading(): Promise<void> | undefined {
    return this.#loading;
  }

  /** An inspector that cannot be loaded is ignored. */
  async #load(addresses: readonly string[], watch: (watcher: AgentWatcher) => Watch): Promise<void> {
    for (const client of await Promise.allSettled(addresses.map(loadClient)))
      if (client.status === "fulfilled") this.#watches.push(watch(client.value));
    this.#loading = undefined;
  }

  /** The journal of the agent has grown. */
  committed(): void {
    for (const watch of this.#watches) watch.committed();
  }

  /** Resolves when the inspectors have sent all that happened. */
  async flushed(): Promise<void> {
    await Promise.all(this.#watches.map((watch) => watch.flushed()));
  }
}
