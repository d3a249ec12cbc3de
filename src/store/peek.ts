import type { LoadedSession, PeekedSession, SessionStore } from "./port.ts";

/** Peeks at a session, with two operations in a store that cannot do so in one. The position is read first: of an input that has been
 *  acknowledged meanwhile, the worst is that its session looks older than it is. */
export async function peekAt(store: SessionStore, sessionId: string, limit: number): Promise<PeekedSession> {
  if (store.peek) return store.peek(sessionId, limit);
  const found: LoadedSession | undefined = await store.load(sessionId);
  const inputs = limit > 0 ? await store.takeInputs(sessionId, limit) : [];
  return { ...(found && { position: found.position }), inputs };
}
