/** The models of agents that only write slots of a session: they leave the turn that it is in to its own agent. */
export const visitors = new WeakSet<object>();
