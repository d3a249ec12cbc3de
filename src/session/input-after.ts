import type { Msg } from "../core/message/types.ts";
import type { SessionStore } from "../store/port.ts";
import { readableEntries } from "./read-entry.ts";

/** The state of a session that waits for a message. */
const AT_REST = "stopped.idle";

/** Returns the messages with which a session that rests at a position went on: making that step again means to send them again. None if it
 *  does not rest there, or nothing came. */
export async function inputAfter(
  store: SessionStore,
  sessionId: string,
  {
    seq,
    state,
    messages,
  }: { readonly seq: number; readonly state: string; readonly messages: readonly Msg[] },
): Promise<readonly Msg[]> {
  if (state !== AT_REST) return [];
  for await (const { type, data } of readableEntries(store, sessionId, { after: seq })) {
    if (type !== "messages") continue;
    const isNext = data.from === messages.length;
    return isNext
      ? data.messages.filter((each): each is Msg => !("ref" in each) && each.role === "user")
      : [];
  }
  return [];
}
