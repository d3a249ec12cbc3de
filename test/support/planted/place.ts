// test/support/planted holds agents with a bug each, which the tests of the inspector hunt from the page alone.
import type { SessionStore } from "agentchart";

/** Where a run with a bug is seen: the address of a hub, and the store that keeps it. */
export type Place = { readonly inspect?: string; readonly store?: SessionStore };

/** The configuration of an agent at a place. */
export const at = ({ inspect, store }: Place, sessionId: string) => ({
  sessionId,
  ...(inspect !== undefined && { inspect }),
  ...(store && { store }),
});
