import type { AgentWatcher } from "./options/agent-config.ts";

const watchers = new WeakMap<object, AgentWatcher>();
const logics = new WeakSet<object>();

/** Lets a watcher also see the agents that join a system of XState actors as actors of it. */
export function observeSystem(system: object, watcher: AgentWatcher): void {
  watchers.set(system, watcher);
}

/** Returns the watcher of a system; undefined if nobody observes it. */
export function watcherOfSystem(system: object): AgentWatcher | undefined {
  return watchers.get(system);
}

/** Marks actor logic as that of agents. */
export function markAgentLogic(logic: object): void {
  logics.add(logic);
}

/** True for the actor logic of agents, whose actors have the id of their session in their snapshots. */
export function isAgentLogic(logic: object): boolean {
  return logics.has(logic);
}
