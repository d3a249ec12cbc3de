import { LRUCache } from "lru-cache";
import type { Msg } from "../core/message/types.ts";
import type { KeptSession, KeptSessions } from "../session/kept-sessions.ts";
import type { Lease } from "../store/port.ts";

/** The maximum number of characters of JSON that are retained of all sessions, and the maximum number of sessions. */
const [MAX_CHARACTERS, MAX_SESSIONS] = [32_000_000, 1_000];
/** The approximate size of a session beside its messages. */
const CHARACTERS_BESIDE = 1_000;
/** A session that nobody needs again is not kept for longer, ms. */
const MAX_AGE_MS = 600_000;

const charactersOf = (messages: readonly Msg[]): number =>
  messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);

/** The sessions that a worker has released last. */
export class LastSessions implements KeptSessions {
  readonly #sessions: LRUCache<string, { readonly fence: number; readonly kept: KeptSession }>;

  constructor(maxCharacters = MAX_CHARACTERS) {
    this.#sessions = new LRUCache({
      max: MAX_SESSIONS,
      maxSize: maxCharacters,
      sizeCalculation: ({ kept }) => kept.size + CHARACTERS_BESIDE,
      ttl: MAX_AGE_MS,
    });
  }

  put(...[{ sessionId, fence }, session, before]: Parameters<KeptSessions["put"]>): void {
    const { from, length } = session.transcript;
    const isLonger = before !== undefined && before.from === from && before.length <= length;
    const [known, size] = isLonger ? [before.length, before.size] : [from, 0];
    const kept = { ...session, size: size + charactersOf(session.transcript.slice(known)) };
    this.#sessions.set(sessionId, { fence, kept });
  }

  take({ sessionId, fence }: Lease): KeptSession | undefined {
    const found = this.#sessions.get(sessionId);
    this.#sessions.delete(sessionId);
    return found?.fence === fence - 1 ? found.kept : undefined;
  }
}
