import type { InspectionEvent } from "xstate";
import { parseAddress } from "../core/base/inspect-address.ts";
import type { AnyAgentConfig, AgentWatcher, Inspector } from "./options/agent-config.ts";
import { guarded } from "../core/base/guarded.ts";
import type { AnyAgent } from "./types.ts";

type Observer = Exclude<Inspector, AgentWatcher>;

type Entry = Inspector | string;

function entriesOf({ inspect = [] }: AnyAgentConfig): readonly Entry[] {
  return Array.isArray(inspect) ? (inspect as readonly Entry[]) : [inspect as Entry];
}

function inspectorsOf(config: AnyAgentConfig): readonly Inspector[] {
  return entriesOf(config).filter((entry) => typeof entry !== "string");
}

/** Returns the addresses in `config.inspect`: "auto" or URLs. Throws `config/invalid` for any other string. */
export function addressesOf(config: AnyAgentConfig): readonly string[] {
  const addresses = entriesOf(config).filter((entry) => typeof entry === "string");
  for (const address of addresses) if (address !== "auto") parseAddress(address);
  return addresses;
}

const clients = new Map<string, Promise<AgentWatcher>>();

/** Returns the client for an address, which all agents of this process share. The inspector is imported by the name of the package,
 *  and only if an agent has such an address. */
export function loadClient(address: string): Promise<AgentWatcher> {
  let client = clients.get(address);
  if (!client) {
    client = import("agentchart/inspect").then(({ inspector }) =>
      inspector(address === "auto" ? {} : { url: address }),
    );
    clients.set(address, client);
  }
  return client;
}

function isWatcher(inspector: Inspector): inspector is AgentWatcher {
  return typeof inspector === "object" && "watch" in inspector;
}

/** Returns the watchers in `config.inspect`. */
export function watchersOf(config: AnyAgentConfig): readonly AgentWatcher[] {
  return inspectorsOf(config).filter(isWatcher);
}

/** Returns one XState observer that calls all observers in `config.inspect`; undefined if there are none. */
export function observerOf(config: AnyAgentConfig): ((event: InspectionEvent) => void) | undefined {
  const observers = inspectorsOf(config).filter((each): each is Observer => !isWatcher(each));
  if (observers.length === 0) return undefined;
  return (event) => {
    for (const observer of observers) {
      try {
        if (typeof observer === "function") observer(event);
        else observer.next?.(event);
      } catch {
        // XState would stop the actor for good if an observer threw
      }
    }
  };
}

type Watch = ReturnType<AgentWatcher["watch"]>;

/** The inspectors that watch one agent. What they throw has no effect on it. */
export class Watches {
  readonly #watches: Watch[] = [];
  #loading: Promise<void> | undefined;

  /** Begins to watch, and to load the inspectors that are configured by address. `seq` returns the position of the agent's journal. */
  constructor(agent: AnyAgent, config: AnyAgentConfig, seq: () => number) {
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
