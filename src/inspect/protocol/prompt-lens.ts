import { isObject, type Json, type JsonObject } from "../../core/base/json.ts";
import { sizeOfMessage, sizeOfTools, Transcript } from "../../core/message/transcript.ts";
import type { Msg } from "../../core/message/types.ts";
import type { CallEdit, PromptEdit } from "../../../machines/agent/prompt/edits.ts";
import {
  editedBy,
  messagesBefore,
  requestOf,
  type EditedPrompt,
  type SentRequest,
} from "../../../machines/agent/prompt/request.ts";
import { formAt } from "../../../machines/agent/prompt/shown.ts";
import { WHOLE, type View } from "../../../machines/agent/prompt/view.ts";
import type { RecordedCall } from "./recorded-call.ts";

/** The form in which a message of the transcript is shown to the model, unless it is shown as it is. It is an old result as one line
 *  (`cleared`), without its media, a long result in part, calls of another persona as text, or without what a provider refused. */
export type ShownForm = "cleared" | "withoutMedia" | "inPart" | "asText" | "refused";

/** The cause that left messages out: the bound of `modelOptions.contextWindow`, a summary, a summary and then maybe the bound, or a hook.
 *  Messages that are `merged` are still there, as text of the message whose calls they answer. */
type LeftBy = "contextWindow" | "compaction" | "both" | "hook" | "merged" | "unknown";

/** A part of the conversation in the order of the request: a message that was sent, or messages that were left out. */
export type LensRow =
  | {
      readonly kind: "message";
      /** Its index in `request.messages`. */
      readonly index: number;
      /** The origin of the message: the transcript, a summary of it, a hook, or the agent itself. */
      readonly from: "transcript" | "summary" | "hook" | "agent";
      /** Its index in the transcript. */
      readonly place?: number;
      readonly form?: ShownForm;
      /** The reason of the provider that refused a part of it. */
      readonly why?: string;
      /** The hook that added or changed it. */
      readonly hook?: string;
      /** The message of the transcript that a hook changed. */
      readonly before?: Msg;
      /** In tokens, estimated. */
      readonly size: number;
    }
  | {
      readonly kind: "left";
      /** The messages of the transcript from index `from` up to, but not including, `to`. */
      readonly from: number;
      readonly to: number;
      readonly by: LeftBy;
      readonly hook?: string;
    };

/** The changes that one hook made to a request. */
export type HookChange = {
  readonly hook: string;
  readonly point: "preCall" | "preReasoning" | "preSummary";
  readonly system?: { readonly before: string; readonly after: string };
  readonly options?: { readonly before: JsonObject; readonly after: JsonObject };
  /** The tools that are no longer offered. */
  readonly withoutTools?: readonly string[];
  /** The number of messages that it added or changed, and of those that it left out. */
  readonly messages?: { readonly added: number; readonly removed: number };
  /** The input of the agent's call before and after a hook of preCall. */
  readonly input?: { readonly before: readonly Msg[]; readonly after: readonly Msg[] };
};

/** A request to a model as it was sent, and why it is as it is. */
export type PromptLens = {
  readonly call: Omit<RecordedCall, "tools" | "system" | "edits" | "entered" | "results" | "view">;
  readonly request: SentRequest;
  readonly rows: readonly LensRow[];
  readonly hooks: readonly HookChange[];
  /** In tokens, estimated without a tokenizer. */
  readonly sizes: { readonly system: number; readonly tools: number; readonly messages: number };
  /** False if a long text of it is no longer held: then the request has only its beginning. */
  readonly isWhole: boolean;
};

type Entry = {
  readonly message: Msg;
  readonly from: "transcript" | "summary" | "hook" | "agent";
  readonly place?: number;
  readonly hook?: string;
};

/** Puts the texts of a value in the place of references to them. */
class Texts {
  isWhole = true;
  readonly #blob: (sha: string) => string | undefined;

  constructor(blob: (sha: string) => string | undefined) {
    this.#blob = blob;
  }

  in<T>(value: T): T;
  in(value: Json): Json {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((item: Json) => this.in(item));
    const fields = value as JsonObject;
    if (typeof fields["$blob"] === "string" && typeof fields["head"] === "string") {
      const text = this.#blob(fields["$blob"]);
      if (text === undefined) this.isWhole = false;
      return text ?? `${fields["head"]}… [${String(fields["length"])} characters]`;
    }
    return Object.fromEntries(Object.entries(fields).map(([key, item]) => [key, this.in(item)]));
  }
}

/** The text of messages that were too old to be recorded when the observation began. */
const LEFT_OUT = '[{"type":"text","text":"[left out]"}]';

/** True if a value is a recorded call as far as the lens reads it. */
function isCall(value: unknown): value is RecordedCall {
  if (!isObject(value)) return false;
  const { id, step, length, system, tools, edits, entered, options, results, view } = value;
  return (
    typeof id === "string" &&
    Number.isSafeInteger(step) &&
    Number.isSafeInteger(length) &&
    system !== undefined &&
    [tools, edits, entered].every(Array.isArray) &&
    [options, results].every(isObject) &&
    (view === null || isObject(view))
  );
}

/** Returns the call of a displayed context; undefined if it has none. */
export function callIn(context: JsonObject | undefined): RecordedCall | undefined {
  const call: unknown = context?.["modelCall"];
  return isCall(call) ? call : undefined;
}

/**
 * Rebuilds a request of what was recorded, with the function that the agent makes its requests with. `context` is the displayed context
 * after the step `call.step`, and `blob` returns long texts. Throws if the record is damaged.
 */
export function promptLens(
  recorded: RecordedCall,
  context: JsonObject,
  blob: (sha: string) => string | undefined,
): PromptLens {
  const texts = new Texts(blob);
  const call = texts.in(recorded);
  const messages = context["messages"];
  if (!Array.isArray(messages)) throw new Error("The context of the call has no messages.");
  const seen = texts.in(messages.slice(0, call.length)) as unknown as readonly Msg[];
  const transcript = Transcript.of(seen);
  const { request } = requestOf(call, transcript);
  const isLeftOut = seen.some(({ content }) => JSON.stringify(content) === LEFT_OUT);
  const { tools: _, system: __, edits: ___, entered: ____, results: _____, view: ______, ...rest } = call;
  const system = request.messages.filter(({ role }) => role === "system");
  const others = request.messages.filter(({ role }) => role !== "system");
  return {
    call: rest,
    request,
    rows: rowsOf(call, transcript, request),
    hooks: [...call.entered.map(enteredChange), ...hookChanges(call, transcript)],
    sizes: {
      system: Math.ceil(system.reduce((sum, each) => sum + sizeOfMessage(each), 0)),
      tools: request.tools.length === 0 ? 0 : sizeOfTools(request.tools),
      messages: Math.ceil(others.reduce((sum, each) => sum + sizeOfMessage(each), 0)),
    },
    isWhole: texts.isWhole && !isLeftOut && seen.length === call.length,
  };
}

function enteredChange({ hook, system, input }: CallEdit): HookChange {
  const messages = input && { added: input.after.length, removed: input.before.length };
  return {
    hook,
    point: "preCall",
    ...(system && { system }),
    ...(messages && { messages }),
    ...(input && { input }),
  };
}

function hookChanges(call: RecordedCall, transcript: Transcript): readonly HookChange[] {
  const point = call.phase === "summary" ? "preSummary" : "preReasoning";
  const { system, options, tools } = call;
  let prompt: EditedPrompt = { messages: messagesBefore(call, transcript), system, options, tools };
  return call.edits.map((edit): HookChange => {
    const before = prompt;
    prompt = editedBy(prompt, edit);
    const names = new Set(prompt.tools.map(({ name }) => name));
    const kept = new Set(before.messages);
    const added = prompt.messages.filter((message) => !kept.has(message)).length;
    const removed = before.messages.length - (prompt.messages.length - added);
    return {
      hook: edit.hook,
      point,
      ...(edit.system !== undefined && { system: { before: before.system, after: prompt.system } }),
      ...(edit.options && { options: { before: before.options, after: prompt.options } as never }),
      ...(edit.tools && {
        withoutTools: before.tools.flatMap(({ name }) => (names.has(name) ? [] : [name])),
      }),
      ...(edit.pieces && { messages: { added, removed } }),
    };
  });
}

/** The entries of a request before hooks. */
function entriesBefore(
  call: RecordedCall,
  transcript: Transcript,
  places: ReadonlyMap<string, number>,
): readonly Entry[] {
  const { summary } = call.view ?? WHOLE;
  return messagesBefore(call, transcript).map((message): Entry => {
    const place = places.get(message.id);
    if (place !== undefined) return { message, from: "transcript", place };
    return { message, from: message.id === summary?.id ? "summary" : "agent" };
  });
}

/** The entries after one hook, and the places of those that it left out. */
function entriesAfter(
  entries: readonly Entry[],
  { hook, pieces }: PromptEdit,
  places: ReadonlyMap<string, number>,
): { readonly entries: readonly Entry[]; readonly left: readonly number[] } {
  if (!pieces) return { entries, left: [] };
  const after = pieces.flatMap((piece): readonly Entry[] => {
    if (!("inserted" in piece)) return entries.slice(piece.from, piece.to);
    return piece.inserted.map((message): Entry => {
      const place = places.get(message.id);
      return { message, from: "hook", hook, ...(place !== undefined && { place }) };
    });
  });
  const kept = new Set(after.map(({ place }) => place));
  const left = entries.flatMap(({ place }) => (place === undefined || kept.has(place) ? [] : [place]));
  return { entries: after, left };
}

function rowsOf(call: RecordedCall, transcript: Transcript, request: SentRequest): readonly LensRow[] {
  if (call.compaction?.isSeparate)
    return request.messages.map((message, index) => ({
      kind: "message",
      index,
      from: "agent",
      size: sizeOfMessage(message),
    }));
  const all = transcript.slice();
  const places = new Map(all.map(({ id }, place) => [id, place]));
  const view = call.view ?? WHOLE;
  let entries = entriesBefore(call, transcript, places);
  const shown = new Set(entries.map(({ place }) => place));
  const left = new Map<number, { readonly by: LeftBy; hook?: string }>();
  for (const [place, message] of all.entries())
    if (!shown.has(place)) left.set(place, { by: leftBy(call, view, message, place) });
  for (const edit of call.phase === "compaction" ? [] : call.edits) {
    const next = entriesAfter(entries, edit, places);
    entries = next.entries;
    for (const place of next.left) left.set(place, { by: "hook", hook: edit.hook });
  }
  return placed(call, all, entries, left, request);
}

/** Returns the cause that left out a message that hooks have not left out. Results of another persona's calls became text of the message
 *  that calls. */
function leftBy({ foreign, bound }: RecordedCall, view: View, { content }: Msg, place: number): LeftBy {
  const isResults = content.every(({ type }) => type === "tool_result" || type === "thinking");
  if (foreign && place >= view.from && isResults) return "merged";
  if (view.summary) return bound ? "both" : "compaction";
  return bound ? "contextWindow" : "unknown";
}

/** Puts what was left out where it would stand. */
function placed(
  call: RecordedCall,
  all: readonly Msg[],
  entries: readonly Entry[],
  left: ReadonlyMap<number, { readonly by: LeftBy; hook?: string }>,
  { messages }: SentRequest,
): readonly LensRow[] {
  const rows: LensRow[] = [];
  let next = 0;
  const leave = (end: number): void => {
    for (; next < end; next++) {
      const why = left.get(next);
      if (!why) continue;
      const last = rows.at(-1);
      const isSame =
        last?.kind === "left" && last.to === next && last.by === why.by && last.hook === why.hook;
      if (isSame) rows[rows.length - 1] = { ...last, to: next + 1 };
      else rows.push({ kind: "left", from: next, to: next + 1, ...why });
    }
  };
  const begin = messages[0]?.role === "system" ? 1 : 0;
  const rest = messages.slice(begin + entries.length); // what the agent adds after hooks
  const added = rest.map((message): Entry => ({ message, from: "agent" }));
  for (const [index, { message, from, place, hook }] of [...entries, ...added].entries()) {
    if (from === "summary") leave(call.view?.from ?? 0);
    if (place !== undefined) leave(place);
    const form =
      place === undefined || from === "hook" ? undefined : formOf(call, all[place]!, message, place);
    const why = call.view?.omitted?.find(({ at }) => at === place)?.why;
    rows.push({
      kind: "message",
      index: begin + index,
      from,
      ...(place !== undefined && { place }),
      ...(form && { form }),
      ...(form === "refused" && why !== undefined && { why }),
      ...(hook !== undefined && { hook }),
      ...(from === "hook" && place !== undefined && { before: all[place]! }),
      size: sizeOfMessage(message),
    });
  }
  leave(all.length);
  return rows;
}

/** Returns the form in which a message is shown; undefined for one that is shown as it is. */
function formOf(call: RecordedCall, whole: Msg, shown: Msg, place: number): ShownForm | undefined {
  if (whole === shown) return undefined;
  if (JSON.stringify(whole.content) === JSON.stringify(shown.content)) return undefined;
  const isAsText = whole.content.some(({ type }, index) => shown.content[index]?.type !== type);
  if (call.foreign && isAsText) return "asText";
  const form = formAt(call.view ?? WHOLE, place);
  if (form.without) return "refused";
  return form.results === "full" ? "inPart" : form.results;
}
