import type { Msg } from "../../../src/message/types.ts";
import { Transcript } from "../../../src/message/transcript.ts";
import type { AgentContext, Change } from "../context.ts";
import { WHOLE, type View } from "../view.ts";

/** The view of a transcript whose first `same` messages are as before. A summary of messages that were changed says what they said: then
 *  the whole transcript is shown, and bounded anew. */
export function viewAfter(view: View | null, same: number): View | null {
  if (!view || Math.max(view.from, view.clearedTo, view.mediaTo ?? 0) <= same) return view;
  return view.reads ? { ...WHOLE, reads: true } : null;
}

/** Puts messages in the place of those of a resting session. The turn before stays the one that the last reply belongs to, as far as
 *  its messages are still there. */
export function editMessages(
  { transcript, progress, view }: AgentContext,
  { at, messages }: { readonly at: number; readonly messages: readonly Msg[] },
): Change {
  const edited = Transcript.of(messages);
  const same = transcript.commonPrefix(edited);
  const first = transcript.at(progress.turnAt)?.id;
  const turnAt = messages.findIndex(({ id }) => id === first);
  return {
    at,
    transcript: transcript.replaceFrom(same, messages.slice(same)),
    view: viewAfter(view, same),
    progress: { ...progress, turnAt: turnAt < 0 ? Math.min(progress.turnAt, messages.length) : turnAt },
  };
}
