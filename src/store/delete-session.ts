import { isObject } from "../core/base/json.ts";
import type { SessionInfo, SessionStore } from "./port.ts";
import { pagesOf } from "./pages.ts";

/** The session in whose call this one runs; undefined for none. */
function parentOf({ meta }: SessionInfo): unknown {
  const { parent } = meta;
  return isObject(parent) ? parent["sessionId"] : undefined;
}

/**
 * Deletes a session and the sessions of the agents that ran inside of its calls, those first. Needs no lease: acquire that of the
 * session before if a process may have it. Returns false if there was no such session. Rejects as the methods of the store do.
 *
 * @example
 * ```ts
 * import { deleteSession, type SessionStore } from "agentchart/session";
 *
 * export const forget = (store: SessionStore, customer: string) => deleteSession(store, `customer-${customer}`);
 * ```
 */
export async function deleteSession(store: SessionStore, sessionId: string): Promise<boolean> {
  const doomed = new Set<unknown>([sessionId]);
  const inside: string[] = []; // the pages are in the order of ids, so that a parent comes before what runs inside of it
  for await (const { sessions } of pagesOf((from) => store.list({ prefix: `${sessionId}/`, ...from })))
    for (const each of sessions) {
      if (!doomed.has(parentOf(each))) continue;
      doomed.add(each.sessionId);
      inside.push(each.sessionId);
    }
  for (const inner of inside.toReversed()) await store.delete(inner);
  return store.delete(sessionId);
}
