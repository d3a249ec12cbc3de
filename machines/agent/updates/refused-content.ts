import { hasBlock } from "../../../src/core/message/query.ts";
import type { MediaBlock, Msg } from "../../../src/core/message/types.ts";
import type { AgentContext, Change } from "../context.ts";
import { formAt, mediaOf, shown } from "../prompt/shown.ts";
import { shownSize, sizeOfView, WHOLE, type Omitted, type View } from "../prompt/view.ts";
import { unseenFrom } from "./view.ts";

/** A shorter message is not what makes a prompt too long, in tokens. */
const LONG = 1_000;
/** The maximum length of the reason of a provider that is retained. */
const REASON = 300;

/** True if the model's provider may have refused what is in the request: not a name, an address or an option alone. */
function isRefused({ failure }: AgentContext): boolean {
  if (!failure || failure.retry === undefined || failure.data?.["refused"] === "model") return false;
  const { code } = failure;
  return code === "model/bad-request" || code === "model/content-filter" || code === "model/context-length";
}

function mediaIn({ content }: Msg): readonly MediaBlock[] {
  return content.flatMap((block) => {
    if (block.type === "image" || block.type === "audio" || block.type === "video") return [block];
    return block.type === "tool_result" ? mediaOf(block) : [];
  });
}

/** The images, sounds and films that the model sees, by the indexes of their messages. */
function seenMedia({ transcript, view, settings }: AgentContext): ReadonlyMap<number, readonly MediaBlock[]> {
  const seen = view ?? WHOLE;
  const found = new Map<number, readonly MediaBlock[]>();
  const look = (index: number): void => {
    const message = transcript.at(index);
    if (!message || message.content.every(({ type }) => type === "text")) return;
    const media = mediaIn(shown(message, formAt(seen, index), settings.results));
    if (media.length > 0) found.set(index, media);
  };
  for (const index of seen.head) look(index);
  for (let index = seen.from; index < transcript.length; index++) look(index);
  return found;
}

/** True if images, sounds and films are in the prompt. */
export const showsMedia = (context: AgentContext): boolean => seenMedia(context).size > 0;

/** True if the model's provider has refused the request, maybe for an image, a sound or a film in it: it may be asked without. Each time
 *  there are fewer of them, so that this has an end. */
export const refusedContent = (context: AgentContext): boolean => isRefused(context) && showsMedia(context);

/** Returns the messages of which media are left out: those that the model has not answered yet, else all. It also returns others that have
 *  the same, as a result has that was read again. */
function suspects(context: AgentContext): readonly number[] {
  const seen = seenMedia(context);
  const from = unseenFrom(context);
  const isNew = [...seen.keys()].some((index) => index >= from);
  const chosen = new Set([...seen.keys()].filter((index) => !isNew || index >= from));
  const sources = new Set([...chosen].flatMap((index) => seen.get(index)!.map(sourceOf)));
  for (const [index, media] of seen) if (media.some((each) => sources.has(sourceOf(each)))) chosen.add(index);
  return [...chosen];
}

const sourceOf = ({ source }: MediaBlock): string => (source.type === "url" ? source.url : source.data);

function reasonOf({ failure }: AgentContext): Pick<Omitted, "code" | "why"> {
  const { code, message } = failure!;
  return { code, why: message.slice(0, REASON).toWellFormed() };
}

/** Leaves media out of what the model sees, and asks again: its main model, since what it may have refused is gone. */
export function omitRefused(context: AgentContext): Change {
  const view = context.view ?? WHOLE;
  const reason = reasonOf(context);
  const tried = suspects(context).map((at): Omitted => ({ at, what: "media", ...reason, isTried: true }));
  return {
    view: { ...view, omitted: [...(view.omitted ?? []), ...tried] },
    failure: null,
    draft: null,
    request: { ...context.request, attempt: 0, usesFallback: false, notBeforeAt: null, edits: [] },
  };
}

function withOmitted(view: View, omitted: readonly Omitted[]): View {
  const { omitted: _, ...rest } = view;
  return omitted.length > 0 ? { ...rest, omitted } : rest;
}

/** The view of a turn whose model has answered: what was left out was refused indeed. */
export function confirmedView({ view }: AgentContext): Pick<Change, "view"> {
  if (!view?.omitted?.some(({ isTried }) => isTried)) return {};
  return {
    view: withOmitted(
      view,
      view.omitted.map(({ isTried: _, ...rest }) => rest),
    ),
  };
}

/** The view after a turn that failed. What was left out in vain is shown again; what the next request would have again and cannot be sent
 *  is left out from now on. */
export function viewAfterFailure(context: AgentContext): Pick<Change, "view"> {
  const view = context.view ?? WHOLE;
  const before = view.omitted ?? [];
  const refused = unsendable(context);
  const omitted = [
    ...before.filter(({ at, isTried }) => !isTried && refused.every((each) => each.at !== at)),
    ...refused,
  ];
  const isSame = omitted.length === before.length && omitted.every((each, at) => each === before[at]);
  return isSame ? {} : { view: withOmitted(view, omitted) };
}

/** Returns the messages that the model has not answered and cannot be asked with. These are all, if a content filter refused them, or what
 *  alone is more than half of a prompt that is too long and that no compaction made shorter. */
function unsendable(context: AgentContext): readonly Omitted[] {
  const { transcript, failure, settings } = context;
  const isTooLong = failure?.code === "model/context-length";
  if (failure?.code !== "model/content-filter" && !isTooLong) return [];
  const view = context.view ?? WHOLE;
  const least = isTooLong ? Math.max(LONG, sizeOfView(transcript, view, settings.results) / 2) : 0;
  const reason = reasonOf(context);
  const found: Omitted[] = [];
  for (let at = unseenFrom(context); at < transcript.length; at++) {
    const message = transcript.at(at)!;
    if (isSaid(message) && shownSize(message, formAt(view, at), settings.results) >= least)
      found.push({ at, what: "all", ...reason });
  }
  return found;
}

/** True for a message of a user or with results: others are not left out. */
const isSaid = (message: Msg): boolean => message.role === "user" || hasBlock(message, "tool_result");
