import { isSame } from "../../core/base/json.ts";
import { textOf, toolResultsOf, toolUsesOf } from "../../core/message/msg.ts";
import type { Msg, Reason } from "../../core/message/types.ts";
import type { RecordedTurn } from "./recorded-session.ts";

/** A place at which a replay parts from its recording. */
export type Divergence = {
  /** The kind: another text or another message, another tool called, other arguments, another result, or another rest of the turn. */
  readonly kind: "message" | "call" | "arguments" | "result" | "state";
  /** The index of the message in the transcript. */
  readonly message: number;
  readonly turn: number;
  /** The name of the tool. */
  readonly tool?: string | undefined;
  /** The recorded value and the one of the replay, as text; "nothing" for what is not there. */
  readonly recorded: string;
  readonly replayed: string;
};

type Found = Pick<Divergence, "kind" | "tool" | "recorded" | "replayed">;

const MAX_SHOWN = 400;
const NOTHING = "nothing";

export const shown = (value: unknown): string => {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? NOTHING);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
};

const shownMessage = (message: Msg | undefined): string => {
  if (!message) return NOTHING;
  const calls = toolUsesOf(message).map(({ name, input }) => `${name} ${JSON.stringify(input)}`);
  const results = toolResultsOf(message).map(({ name, output }) => `${name}: ${JSON.stringify(output)}`);
  return shown(`${message.role}: ${[textOf(message), ...calls, ...results].filter(Boolean).join(" ")}`);
};

/** Returns how two messages differ in what they say, ask for and answer; undefined if they do not. */
function differenceOf(recorded: Msg | undefined, replayed: Msg | undefined): Found | undefined {
  if (!recorded || !replayed || recorded.role !== replayed.role) {
    const [call] = [replayed, recorded].flatMap((each) => (each ? toolUsesOf(each) : []));
    return {
      kind: call ? "call" : "message",
      ...(call && { tool: call.name }),
      recorded: shownMessage(recorded),
      replayed: shownMessage(replayed),
    };
  }
  return (
    callDifference(recorded, replayed) ??
    resultDifference(recorded, replayed) ??
    (textOf(recorded) === textOf(replayed)
      ? undefined
      : { kind: "message", recorded: shown(textOf(recorded)), replayed: shown(textOf(replayed)) })
  );
}

function callDifference(one: Msg, other: Msg): Found | undefined {
  const [recorded, replayed] = [toolUsesOf(one), toolUsesOf(other)];
  for (let at = 0; at < Math.max(recorded.length, replayed.length); at++) {
    const [was, is] = [recorded[at], replayed[at]];
    if (was?.name !== is?.name)
      return {
        kind: "call",
        tool: (is ?? was)!.name,
        recorded: was ? shown(`${was.name} ${JSON.stringify(was.input)}`) : shownMessage(one),
        replayed: is ? shown(`${is.name} ${JSON.stringify(is.input)}`) : shownMessage(other),
      };
    if (!isSame(was!.input, is!.input))
      return {
        kind: "arguments",
        tool: is!.name,
        recorded: shown(was!.input),
        replayed: shown(is!.input),
      };
  }
  return undefined;
}

function resultDifference(one: Msg, other: Msg): Found | undefined {
  const [recorded, replayed] = [toolResultsOf(one), toolResultsOf(other)];
  const at = replayed.findIndex(
    ({ state, output }, index) =>
      state !== recorded[index]?.state || !isSame(output, recorded[index]?.output),
  );
  if (at < 0 && recorded.length === replayed.length) return undefined;
  const [was, is] = [recorded[Math.max(at, 0)], replayed[Math.max(at, 0)]];
  const told = (result: typeof was): string => (result ? shown([result.state, result.output]) : NOTHING);
  return { kind: "result", tool: (is ?? was)!.name, recorded: told(was), replayed: told(is) };
}

/** Rests that depend on the process and not on the agent. */
const OF_PROCESS: ReadonlySet<Reason> = new Set(["SHUTDOWN"]);

/** A call whose outcome was unknown waits in a replay as one that was suspended. `isAtOnce`: calls that waited have their results at once. */
const restsOf = (rests: readonly Reason[], isAtOnce: boolean): readonly Reason[] =>
  rests
    .filter((reason) => !OF_PROCESS.has(reason))
    .map((reason) => (reason === "OUTCOME_UNKNOWN" ? "TOOL_SUSPENDED" : reason))
    .filter((reason) => !isAtOnce || reason !== "TOOL_SUSPENDED");

/** Returns the first place at which a replay parts from its recording: in its messages, or else in how its turns rest. Only turns that both
 *  have are compared. */
export function divergenceOf(
  recorded: {
    readonly messages: readonly Msg[];
    readonly turns: readonly RecordedTurn[];
    /** The tools whose calls waited, and have their results at once in a replay. */
    readonly atOnce: ReadonlySet<string>;
  },
  replayed: {
    readonly messages: readonly Msg[];
    readonly rests: ReadonlyMap<number, readonly Reason[]>;
    readonly from: number;
  },
): Divergence | undefined {
  const { turns, atOnce } = recorded;
  const turnAt = (message: number): number => turns.findLast(({ from }) => from <= message)?.turn ?? 1;
  const count = Math.max(recorded.messages.length, replayed.messages.length);
  for (let message = replayed.from; message < count; message++) {
    const found = differenceOf(recorded.messages[message], replayed.messages[message]);
    if (found) return { ...found, message, turn: turnAt(message) };
  }
  for (const [place, { turn, rests, from }] of turns.entries()) {
    const now = replayed.rests.get(turn)?.filter((reason) => reason !== "OUTCOME_UNKNOWN"); // of a fork within a call
    if (!now) continue;
    // Of a turn that was forked in its middle only the end is the same: a fork asks again what was decided.
    const compared = from < replayed.from ? -1 : 0;
    const said = recorded.messages.slice(from, turns[place + 1]?.from);
    const isAtOnce = said.flatMap(toolUsesOf).some(({ name }) => atOnce.has(name));
    const [was, is] = [rests, now].map((each) => restsOf(each, isAtOnce).slice(compared)) as [
      Reason[],
      Reason[],
    ];
    if (!isSame(was, is))
      return {
        kind: "state",
        message: count - 1,
        turn,
        recorded: was.join(", ") || NOTHING,
        replayed: is.join(", ") || NOTHING,
      };
  }
  return undefined;
}
