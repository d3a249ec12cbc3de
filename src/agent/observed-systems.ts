import type { AgentWatcher } from "./options/agent-config.ts";

/** The watcher of each system of XState actors that somebody observes: it also sees the agents that join the system, as actors of it. */
export const watcherOfSystem = new WeakMap<object, AgentWatcher>();

/** The actor logic of agents, whose actors have the id of their session in their snapshots. */
export const agentLogics = new WeakSet<object>();
