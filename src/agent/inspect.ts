import type { InspectionEvent } from "xstate";
import { parseAddress } from "../base/inspect-address.ts";
import type { AgentConfig, AgentWatcher, Inspector } from "./types.ts";

type Observer = Exclude<Inspector, AgentWatcher>;

type Entry = Inspector | string;

function entriesOf({ inspect = [] }: AgentConfig<never>): readonly Entry[] {
  return Array.isArray(inspect) ? (inspect as readonly Entry[]) : [inspect as Entry];
}

function inspectorsOf(config: AgentConfig<never>): readonly Inspector[] {
  return entriesOf(config).filter((entry) => typeof entry !== "string");
}

/** The addresses in `config.inspect`: "auto" or URLs. Throws `config/invalid` for a string that is neither. */
export function addressesOf(config: AgentConfig<never>): readonly string[] {
  const addresses = entriesOf(config).filter((entry) => typeof entry === "string");
  for (const address of addresses) if (address !== "auto") parseAddress(address);
  return addresses;
}

const clients = new Map<string, Promise<AgentWatcher>>();

/** The client that all agents of this process with this address share. The inspector is loaded by the package's own name, and
 *  only when an address names it. */
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

export function watchersOf(config: AgentConfig<never>): readonly AgentWatcher[] {
  return inspectorsOf(config).filter(isWatcher);
}

/** One XState observer for all that are given; undefined if there is none, so that none is registered. */
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
