import type { Msg } from "../../../src/message/types.ts";
import { Transcript } from "../../../src/message/transcript.ts";
import type { AgentContext, Change } from "../context.ts";
import { replaceFrom } from "../facts.ts";
import { WHOLE, type Omitted, type View } from "../view.ts";

/** The view of a transcript whose first `same` messages are as before. A summary of messages that were changed says what they said: then
 *  the whole transcript is shown, and bounded anew. What a provider refused stays left out of the messages that are as before, wherever
 *  `placeOf` finds them. */
export function viewAfter(
  view: View | null,
  same: number,
  placeOf: (index: number) => number = (index) => index,
): View | null {
  if (!view) return view;
  const { omitted: left = [], cut: cuts = [], ...rest } = view;
  const omitted = left.flatMap((each): Omitted[] => {
    const at = each.at < same ? each.at : placeOf(each.at);
    return at < 0 ? [] : [at === each.at ? each : { ...each, at }];
  });
  const cut = cuts.filter(({ to }) => to <= same);
  const isKept = Math.max(view.from, view.clearedTo, view.mediaTo ?? 0) <= same;
  const isWhole = omitted.length === left.length && cut.length === cuts.length;
  if (isKept && isWhole && omitted.every((each, index) => each === left[index])) return view;
  const more = { ...(isKept && cut.length > 0 && { cut }), ...(omitted.length > 0 && { omitted }) };
  if (isKept) return { ...rest, ...more };
  return view.reads || omitted.length > 0 ? { ...WHOLE, ...more, ...(view.reads && { reads: true }) } : null;
}

/** Puts messages in the place of those of a resting session. The turn before stays the one that the last reply belongs to, as far as
 *  its messages are still there. */
export function editMessages(
  context: AgentContext,
  { at, messages }: { readonly at: number; readonly messages: readonly Msg[] },
): Change {
  const { transcript, progress, view } = context;
  const edited = Transcript.of(messages);
  const same = transcript.commonPrefix(edited);
  const first = transcript.at(progress.turnAt)?.id;
  const turnAt = messages.findIndex(({ id }) => id === first);
  return {
    at,
    ...replaceFrom(context, same, messages.slice(same)),
    view: viewAfter(view, same, (index) => messages.indexOf(transcript.at(index)!)),
    progress: { ...progress, turnAt: turnAt < 0 ? Math.min(progress.turnAt, messages.length) : turnAt },
  };
}
