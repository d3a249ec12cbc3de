import { randomUUID } from "node:crypto";
import { AgentError } from "../error/error.ts";
import { Transcript } from "../message/transcript.ts";
import type { Json } from "../message/types.ts";
import type { SessionStore } from "../store/port.ts";
import { freshContext } from "../turn/context.ts";
import { factsBetween } from "./entries.ts";
import { Journal, type Standing } from "./journal.ts";

const LEASE_MS = 30_000;

/** Writes a whole session under `key`, over what was there. Throws `session/conflict` while somebody else has that
 *  session. */
export async function saveSession(
  store: SessionStore,
  key: string,
  standing: Standing,
  now: () => number,
  redact?: (value: Json) => Json,
): Promise<void> {
  const lease = await store.acquire(key, { owner: randomUUID(), ttlMs: LEASE_MS });
  if (!lease) throw new AgentError("session/conflict", `Session '${key}' is open elsewhere.`);
  try {
    const seq = (await store.load(key))?.seq ?? 0;
    const rest: Standing = { ...standing, isAtRest: true };
    const journal = new Journal({ store, lease, seq, now, standing: () => rest, ...(redact && { redact }) });
    const { context } = standing;
    const empty = freshContext(context.settings, Transcript.of());
    const facts = factsBetween({ ...empty, calls: context.calls }, context);
    const cleared = { type: "messages", data: { from: 0, messages: context.transcript.slice() } };
    journal.note([{ type: "groups", data: { active: standing.activeGroups } }, cleared, ...facts.filter(({ type }) => type !== "messages")]);
    await journal.flush();
  } finally {
    await store.release(lease);
  }
}
