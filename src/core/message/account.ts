import { isSame, type Json, type JsonObject } from "../base/json.ts";
import type {
  CallAccount,
  ChangedBy,
  Msg,
  Recorded,
  TakeOver,
  ToolResultBlock,
  ToolUseBlock,
} from "./types.ts";

/** The maximum number of characters of JSON of a value in an account; longer ones are left out. */
export const MAX_RECORDED = 64_000;
/** The maximum number of characters of the name of a process that are shown. A journal of somebody else may hold any text. */
const MAX_PROCESS = 200;
/** The maximum number of characters of the text of a failed attempt in it. */
const MAX_ERROR = 2_000;

/** Returns a value for an account: as it is, or how many characters of JSON were left out. */
export function recorded<Field extends string, Value>(field: Field, value: Value): Recorded<Field, Value> {
  const { length } = JSON.stringify(value);
  return length > MAX_RECORDED
    ? { omitted: length }
    : ({ [field]: value } as { readonly [Key in Field]: Value });
}

/** Returns the text of an error for an account, cut if it is long. */
export function recordedError(text: string): string {
  return text.length > MAX_ERROR
    ? `${text.slice(0, MAX_ERROR)}… (${text.length - MAX_ERROR} characters more)`
    : text;
}

/** Returns the account with one more item at the end of a part. */
export function noted<Part extends "changed" | "asked" | "decided" | "attempts" | "rules" | "results">(
  account: CallAccount | undefined,
  part: Part,
  item: NonNullable<CallAccount[Part]>[number],
): CallAccount {
  return { ...account, [part]: [...(account?.[part] ?? []), item] };
}

/** Returns a result with the account of its call. One that came with it is not believed. */
export function withAccount(result: ToolResultBlock, account: CallAccount | undefined): ToolResultBlock {
  if (result.account === account) return result;
  const { account: _, ...rest } = result;
  return account ? { ...rest, account } : rest;
}

/** Returns the arguments that `execute` received, as far as JSON can express them, if they are not those that the call asks for. The
 *  parameter `preset` holds the arguments that the program adds, whose values stay with it. */
export function ranWith(
  asked: JsonObject,
  value: unknown,
  preset: JsonObject | undefined,
): CallAccount["ran"] {
  const presets = preset ? Object.keys(preset) : [];
  if (presets.length === 0 && isSame(value, asked)) return undefined; // most calls
  const isFor = (key: string): boolean => !presets.includes(key);
  const input = withoutPresets(jsonOf(value), isFor);
  const isChanged = input === undefined || !isSame(input, withoutPresets(asked, isFor));
  if (!isChanged && presets.length === 0) return undefined;
  return {
    ...(isChanged && (input === undefined ? { omitted: 0 } : recorded("input", input))),
    ...(presets.length > 0 && { presets }),
  };
}

function withoutPresets(value: Json | undefined, isKept: (key: string) => boolean): Json | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const keys = Object.keys(value);
  if (keys.every(isKept)) return value;
  return Object.fromEntries(keys.filter(isKept).map((key) => [key, (value as JsonObject)[key]!]));
}

/** The value as JSON has it; undefined if it has none, such as one with cycles. */
function jsonOf(value: unknown): Json | undefined {
  try {
    const text: string | undefined = JSON.stringify(value);
    return text === undefined ? undefined : (JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}

/** Returns the arguments that a call had in the end, if somebody or the tool's schema has changed those that the model gave. */
export function changedInput(account: CallAccount | undefined): Recorded<"input", Json> | undefined {
  const { ran, changed } = account ?? {};
  return ran && ("input" in ran || "omitted" in ran) ? (ran as Recorded<"input", Json>) : changed?.at(-1);
}

/**
 * Returns the arguments with which a call ran, or would run: what hooks, people and the tool's schema have made of those that the model
 * gave. Undefined if they are longer than 64,000 characters of JSON, or JSON cannot say them.
 *
 * @example
 * ```ts
 * import { ranInput, type ToolResultBlock, type ToolUseBlock } from "agentchart";
 *
 * const shown = (call: ToolUseBlock, result: ToolResultBlock) => ranInput(call, result.account) ?? "too long to show";
 * ```
 */
export function ranInput(
  { input }: Pick<ToolUseBlock, "input">,
  account: CallAccount | undefined,
): Json | undefined {
  const newest = changedInput(account);
  if (!newest) return input;
  return "input" in newest ? newest.input : undefined;
}

/** The last instant that a date can be, epoch ms. */
const LAST_DATE = 8.64e15;

/** The words for an instant, epoch ms. */
type TimeText = (at: number) => string;

const isoTime: TimeText = (at) =>
  Math.abs(at) <= LAST_DATE ? new Date(at).toISOString() : "at an unknown time";

/** The name that the inspector gives for the person for whom it acts: it knows no names. */
const INSPECTOR = "inspector";

const nameOf = (by: ChangedBy): string => {
  if ("hook" in by) return `the hook ${by.hook}`;
  if (by.person === null) return "a person";
  return by.person === INSPECTOR ? "a person in the inspector" : by.person;
};

type Decided = NonNullable<CallAccount["decided"]>[number];

function decider({ by, via, hook }: Pick<Decided, "by" | "via" | "hook">): string {
  if (by === INSPECTOR) return "in the inspector";
  const name = nameOf(hook === undefined ? { person: by ?? null } : { hook });
  return `by ${name}${via === undefined ? "" : `, from the ${via}`}`;
}

const inputText = (now: Recorded<"input", Json>): string =>
  "input" in now ? JSON.stringify(now.input) : `too long to be recorded (${now.omitted} characters)`;

const BY_RULE = {
  ordered: "waited for other calls, by the rule",
  denied: "denied by the rule",
  asked: "asked about by the rule",
  ended: "denied, and the turn ended, by the rule",
  shadow: "would have been stopped by the rule",
} as const;

const DECIDED: { readonly [decision: string]: string } = {
  approve: "approved",
  deny: "denied",
  retry: "repeated",
  edit: "approved with other arguments",
  answer: "answered",
  respond: "answered",
  decline: "declined to answer",
  cancel: "cancelled",
};

/** Returns where an attempt of a call ran, as the end of a phrase: " in pid 17 on host (1f0c2b9a)". "" for a call of which all attempts ran in
 *  one process. */
export function ranIn({ attempts = [], process }: CallAccount): (attempt: number) => string {
  const all = [...attempts.map((each) => each.process), ...(process === undefined ? [] : [process])];
  if (new Set(all).size < 2 && attempts.every(({ endedAt }) => endedAt !== undefined)) return () => "";
  return (attempt) => {
    const known = attempts.find((each) => each.attempt === attempt) ?? { process };
    const named = known.process?.slice(0, MAX_PROCESS).toWellFormed();
    return ` in ${named ?? "an unknown process"}`;
  };
}

/**
 * Returns the outcome of a call as lines of plain text, in order. They state who was asked and has decided, who has changed what, which
 * attempts failed, what ran. None if there is nothing to say. They hold arguments and names as they are: a page shows them as text.
 * `timeText` says when somebody decided; without it that is an ISO 8601 time.
 *
 * @example
 * ```ts
 * import { accountLines, toolResultsOf, type Agent } from "agentchart";
 *
 * async function printCalls(agent: Agent) {
 *   for (const { name, account } of (await agent.messages()).flatMap(toolResultsOf))
 *     for (const line of accountLines(account)) console.log(`${name}: ${line}`); // pay: approved by Ana, …
 * }
 * ```
 */
export function accountLines(
  account: CallAccount | undefined,
  timeText: TimeText = isoTime,
): readonly string[] {
  const { asked = [], decided = [], changed = [], attempts = [] } = account ?? {};
  const { rules = [], ran, results = [], process } = account ?? {};
  const where = ranIn(account ?? {});
  const last = (attempts.at(-1)?.attempt ?? 0) + 1;
  const timed = [
    ...asked.map(({ at, reason }) => ({ at, text: `asked: ${reason}` })),
    ...decided.map(({ at, decision, ask, ...who }) => ({
      at,
      text: `${DECIDED[decision] ?? "decided"}${ask === undefined ? "" : ` (question ${ask})`} ${decider(who)}, ${timeText(at)}`,
    })),
    ...changed.map(({ at, by, ...now }) => ({
      at,
      text: `arguments changed by ${nameOf(by)}: ${inputText(now)}`,
    })),
    ...rules.map(({ at, rule, did }) => ({ at, text: `${BY_RULE[did]} '${rule}'` })),
    ...attempts.map(({ attempt, startedAt, error }) => ({
      at: startedAt,
      text: `attempt ${attempt} failed${where(attempt)}: ${error}`,
    })),
  ];
  const own = changedInput(account);
  return [
    ...timed.toSorted((one, other) => one.at - other.at).map(({ text }) => text),
    ...(process !== undefined && where(last) !== "" ? [`attempt ${last} began${where(last)}`] : []),
    ...(own && own === ran ? [`ran with ${inputText(own)}`] : []),
    ...(ran?.presets ? [`ran with presets: ${ran.presets.join(", ")}`] : []),
    ...results.map(({ by }) => `result changed by ${nameOf(by)}`),
  ];
}

/** Returns a take-over as a line of plain text. It names the former process, until when it had the session, the new one, and whether a turn
 *  was unfinished. */
export function takeOverLine(takeOver: TakeOver, timeText: TimeText = isoTime): string {
  const { from, until, by, takeovers, isUnfinished } = takeOver;
  const named = (process: string): string => process.slice(0, MAX_PROCESS).toWellFormed();
  const often = takeovers > 1 ? `, number ${takeovers} in a row that did not release it` : "";
  const work = isUnfinished ? "a turn was unfinished" : "no turn was open";
  return `taken over from ${named(from)}${often}, whose lease ended ${timeText(until)}, by ${named(by)}; ${work}`;
}

/** Returns the message that a hook put in the place of another one, with the name of the hook. */
export function messageChangedBy(hook: string, before: Msg, after: Msg): Msg {
  if (after === before) return before;
  const { changedBy: _, addedBy: __, ...rest } = after;
  const { changedBy = [], addedBy } = before;
  const changes = isSame(before.content, after.content) ? changedBy : [...changedBy, hook];
  return {
    ...rest,
    ...(addedBy !== undefined && { addedBy }),
    ...(changes.length > 0 && { changedBy: changes }),
  };
}

/** Returns a message as one that a hook has added. */
export function messageAddedBy(hook: string, { changedBy: _, ...message }: Msg): Msg {
  return { ...message, addedBy: hook };
}

/** Returns messages as a hook has replaced others: those that stayed, those that it changed, and those that it added. */
export function messagesChangedBy(
  hook: string,
  before: readonly Msg[],
  after: readonly Msg[],
): readonly Msg[] {
  const known = new Map(before.map((message) => [message.id, message]));
  return after.map((message) => {
    const old = known.get(message.id);
    return old ? messageChangedBy(hook, old, message) : messageAddedBy(hook, message);
  });
}
