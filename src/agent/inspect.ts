import type { InspectionEvent } from "xstate";
import { parseAddress } from "../base/inspect-address.ts";
import type { AgentConfig, AgentWatcher, Inspector } from "./agent-config.ts";

type Observer = Exclude<Inspector, AgentWatcher>;

type Entry = Inspector | string;

function entriesOf({ inspect = [] }: AgentConfig<never>): readonly Entry[] {
  return Array.isArray(inspect) ? (inspect as readonly Entry[]) : [inspect as Entry];
}

function inspectorsOf(config: AgentConfig<never>): readonly Inspector[] {
  return entriesOf(config).filter((entry) => typeof entry !== "string");
}

/** Returns the addresses in `config.inspect`: "auto" or URLs. Throws `config/invalid` for any other string. */
export function addressesOf(config: AgentConfig<never>): readonly string[] {
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
export function watchersOf(config: AgentConfig<never>): readonly AgentWatcher[] {
  return inspectorsOf(config).filter(isWatcher);
}

/** Returns one XState observer that calls all observers in `config.inspect`; undefined if there are none. */
export function observerOf(config: AgentConfig<never>): ((event: InspectionEvent) => void) | undefined {
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
