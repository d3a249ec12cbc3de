import type { ActorMessage } from "../protocol/actor-info.ts";
import type { OpenRun } from "./open-run.ts";

/** The maximum number of messages of a page. */
const MAX_MESSAGES = 1_000;

/** Messages of one system, in the order in which they were sent. */
export type MessagePage = {
  readonly messages: readonly ActorMessage[];
  /** The number of the oldest message; ask for those before it. 0 if there are no older ones. */
  readonly before: number;
};

/** Returns the newest messages between the actors of a system, of those before number `before`. Every step of an actor is one. */
export function messagesIn(actors: readonly OpenRun[], before = Number.POSITIVE_INFINITY): MessagePage {
  const all = actors.flatMap(({ row: { runId: to }, log }) =>
    log
      .page(log.first, log.last)
      .items.flatMap(({ q, e, t, a }) => (a && a.n < before ? [{ ...a, to, q, e, t }] : []))
      .slice(-MAX_MESSAGES),
  );
  const messages = all.toSorted((one, other) => one.n - other.n).slice(-MAX_MESSAGES);
  return { messages, before: all.length > messages.length ? messages[0]!.n : 0 };
}
