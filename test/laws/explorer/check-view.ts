import { textOf, toolResultsOf } from "../../../src/core/message/msg.ts";
import { Transcript } from "../../../src/core/message/transcript.ts";
import type { Msg } from "../../../src/core/message/types.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import type { ModelInput } from "../../../machines/agent/services.ts";
import { promptTokens } from "../../../machines/agent/updates/view.ts";
import { SUMMARY_NAME } from "../../../machines/agent/updates/compaction.ts";
import { viewOf } from "../../../machines/agent/prompt/view.ts";
import type { Sent } from "./memory.ts";
import { protocolProblem } from "../../../src/testing/explorer/key.ts";
import { leafOf } from "../../../src/testing/explorer/pure.ts";
import { startedOf } from "../../../src/testing/explorer/transition.ts";
import type { Check, Transition } from "./memory.ts";

const shownIn = ({ transcript, view, settings }: Pick<AgentContext, "transcript" | "view" | "settings">) =>
  viewOf(transcript, view, settings.results);

/** The messages of a request of the conversation that a step has made; undefined if it has made none. */
export function sentIn({ after }: Pick<Transition, "after">): Sent | undefined {
  const { settings } = after.snapshot.context;
  if (settings.compaction === null) return undefined;
  const [service] = startedOf(after, "callModel");
  const { transcript, view, phase } = (service?.input ?? {}) as Partial<ModelInput>;
  if (!transcript || phase === "compaction") return undefined;
  return { view: JSON.stringify(view), messages: shownIn({ transcript, view: view ?? null, settings }) };
}

/** Between two changes of the view each request of the conversation begins with the one before it. */
export const requestsGrow: Check = ({ before, after }) => {
  const sent = sentIn({ after });
  const { sent: last } = before.memory;
  if (!sent || last?.view !== sent.view) return undefined;
  const changed = last.messages.findIndex((each, index) => !isSame(each, sent.messages[index]));
  return changed < 0 ? undefined : `message ${changed} of a request is another one in the next`;
};

const isSame = (a: Msg, b: Msg | undefined): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

/** What is shown has every call with its result, and no cut goes between them. */
export const pairsAreWhole: Check = ({ before, after }) => {
  const { context } = after.snapshot;
  const sent = sentIn({ after });
  const problem = sent && protocolProblem(Transcript.of(sent.messages));
  if (problem) return `the model sees ${problem}`;
  if (context.view === null || context.view === before.snapshot.context.view) return undefined;
  const first = context.transcript.at(context.view.from);
  return first && toolResultsOf(first).length > 0 ? "the view begins with a result" : undefined;
};

/** What the model sees changes only with what a compaction has done or with messages that were edited, which are shown whole, and a
 *  summary is what the model or a hook has said. */
export const viewIsEarned: Check = ({ before, move, after }) => {
  const [was, is] = [before.snapshot.context, after.snapshot.context];
  if (move.kind === "load" || was.settings.compaction === null) return undefined;
  if (move.kind === "crash")
    return JSON.stringify(is.view) === JSON.stringify(was.view) ? undefined : "a crash changes the view";
  const { last } = is.progress.compactions ?? {};
  const did = last === was.progress.compactions?.last ? "nothing" : last!.did;
  const shows = ({ view }: AgentContext): string =>
    JSON.stringify([view?.from ?? 0, view?.clearedTo ?? 0, view?.summary?.id, view?.cut ?? []]);
  if (move.events[0]?.type === "session.edit" && is.transcript !== was.transcript)
    return shows(is) === "[0,0,null,[]]" ? undefined : "the view hides messages that were edited";
  if ((shows(is) === shows(was)) !== (did === "nothing"))
    return `the view changes by a compaction that did ${did}`;
  const { summary } = is.view ?? {};
  if (!summary || summary === was.view?.summary) return undefined;
  const [event] = move.events;
  const { output } = event as {
    readonly output?: {
      readonly message?: Msg;
      readonly summary?: string;
      readonly compaction?: { readonly summary?: string };
    };
  };
  const said = output?.message ? textOf(output.message) : (output?.summary ?? output?.compaction?.summary);
  return said !== undefined && textOf(summary).endsWith(said) ? undefined : "the summary was said by nobody";
};

/** A prompt that the model refuses is made shorter once, until the model has answered again. */
export const forcedOnce: Check = ({ before, after }) => {
  const wasForced = before.memory.forced;
  const { compactions } = after.snapshot.context.progress;
  const isNew =
    compactions?.overflow != null && before.snapshot.context.progress.compactions?.overflow == null;
  return wasForced && isNew ? "a prompt is made shorter twice for one failure" : undefined;
};

/** A process that restores the session sends the same request, and finds its prompt as large. */
export const restoresView: Check = ({ before, move, after }) => {
  const [was, is] = [before.snapshot.context, after.snapshot.context];
  if (move.kind !== "crash" || was.settings.compaction === null) return undefined;
  if (was.transcript.length !== is.transcript.length) return undefined; // it was cut off in the middle of an append
  if (JSON.stringify(shownIn(is)) !== JSON.stringify(shownIn(was)))
    return "a restored session shows other messages";
  const [before_, now] = [promptTokens(was), promptTokens(is)];
  return before_ === now ? undefined : `a prompt of ${before_} tokens has ${now} in a restored session`;
};

/** A summary is in the view only: the transcript has what was said. */
export const transcriptHasNoSummary: Check = ({ after }) => {
  const { transcript } = after.snapshot.context;
  return transcript.at(-1)?.name === SUMMARY_NAME ? "a summary is stored as a message" : undefined;
};

/** A summary of the conversation is not a step of the loop, and its request is paid for. */
export const summaryIsNoStep: Check = ({ before, after }) => {
  if (!leafOf(before.snapshot.value).includes("compacting")) return undefined;
  if (!leafOf(after.snapshot.value).includes("compacting")) return undefined;
  const [was, is] = [before.snapshot.context.progress, after.snapshot.context.progress];
  if (was.iteration !== is.iteration || was.stats.iterations !== is.stats.iterations)
    return "a summary counts as a step";
  const calls = startedOf(after, "callModel").length;
  return is.stats.modelCalls === was.stats.modelCalls + calls
    ? undefined
    : "the request of a summary is not counted";
};

/** Every message of the user that the turn answers is shown. */
export const questionIsShown: Check = ({ after }) => {
  const sent = sentIn({ after });
  if (!sent) return undefined;
  const { transcript, progress } = after.snapshot.context;
  const all = transcript.slice();
  const asked = all.filter(({ role }, index) => role === "user" && index >= progress.turnAt);
  const before = all.slice(0, progress.turnAt);
  const answered = before.findLastIndex(
    ({ role, content }) => role === "assistant" && content.every(({ type }) => type !== "tool_use"),
  );
  const last = before.findLast(({ role }, index) => role === "user" && index > answered);
  const wanted = asked.length > 0 || !last ? asked : [last];
  const shown = new Set(sent.messages.map(({ id }) => id));
  const hidden = wanted.find(({ id }) => !shown.has(id));
  return hidden && `message ${hidden.id} of the user is not shown to the model that answers it`;
};
