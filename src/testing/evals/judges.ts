import { agentResolver } from "../../../machines/agent/agent-chart.ts";
import { edgesOf } from "../../../machines/chart/nodes.ts";
import { configError } from "../../core/base/error.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import { isSame, isObject, type Json, type JsonObject } from "../../core/base/json.ts";
import { SUSPICIONS } from "../../inspect/suspicions/checks.ts";
import type { CallFact } from "../../inspect/suspicions/facts.ts";
import type { EvalCase, EvalRun, Judge, Verdict } from "./types.ts";

const verdict = (pass: boolean, reason: string): Verdict => ({ pass, reason });
const quoted = (text: string): string => JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
type Wanted<T> = T | ((of: EvalCase) => T);
const wantedOf = <T>(wanted: Wanted<T>, of: EvalCase): T =>
  typeof wanted === "function" ? (wanted as (of: EvalCase) => T)(of) : wanted;

/** The text that a case expects. Throws `config/invalid` if it expects none, or a blank one, which every reply contains. */
function expectedText({ name, expected }: EvalCase): string {
  if (typeof expected === "number") return String(expected);
  if (typeof expected === "string" && expected.trim() !== "") return expected;
  throw configError(`The case '${name}' has no \`expected\` text or number, which this judge compares with.`);
}

/** A judge of the last reply. */
function ofReply(name: string, test: (text: string, of: EvalCase) => Verdict): Judge {
  return {
    name,
    judge: ({ text, error, case: of }) =>
      error ? verdict(false, `The turn failed: ${error.message}`) : test(text, of),
  };
}

/** A number in a text; a dash behind a word or a number does not belong to it. */
const NUMBER = /(?:(?<!\w)[-+\u2212])?(?:(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?/giu;

/** Judges of the text of the last reply. Each compares with `expected` of the case unless it is given something else. */
export const reply = {
  /** The reply is this text, without spaces around it. */
  equals: (wanted: Wanted<string> = expectedText): Judge =>
    ofReply("reply equals", (text, of) => {
      const exact = wantedOf(wanted, of).trim();
      return verdict(text.trim() === exact, `The reply is ${quoted(text)}; expected ${quoted(exact)}.`);
    }),
  /** The reply contains this text; small and capital letters are the same. */
  contains: (wanted: Wanted<string> = expectedText): Judge =>
    ofReply("reply contains", (text, of) => {
      const part = wantedOf(wanted, of);
      if (part === "") throw configError("reply.contains: every reply contains an empty text.");
      const has = text.toLowerCase().includes(part.toLowerCase());
      return verdict(has, `The reply ${has ? "contains" : "lacks"} ${quoted(part)}.`);
    }),
  /** The reply matches this regular expression. */
  matches: (pattern: RegExp): Judge =>
    ofReply(`reply matches ${String(pattern)}`, (text) => {
      const has = new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, "")).test(text);
      return verdict(
        has,
        `The reply ${quoted(text)} ${has ? "matches" : "does not match"} ${String(pattern)}.`,
      );
    }),
  /** The last number of the reply is this one, give or take `within`, default 0. Thousands may be separated by commas. */
  isNumber: (wanted: Wanted<number> = (of) => Number(expectedText(of)), within = 0): Judge => {
    if (!(within >= 0))
      throw configError(`reply.isNumber: \`within\` is ${within}; expected a number from 0 on.`);
    return ofReply("reply is number", (text, of) => {
      const exact = wantedOf(wanted, of);
      if (!Number.isFinite(exact)) throw configError(`The case '${of.name}' expects no number.`);
      const last = text.match(NUMBER)?.at(-1);
      if (last === undefined) return verdict(false, `The reply ${quoted(text)} has no number.`);
      const number = Number(last.replaceAll(",", "").replace("\u2212", "-"));
      const isNear = Math.abs(number - exact) <= within;
      return verdict(
        isNear,
        `The reply says ${number}; expected ${exact}${within > 0 ? ` ± ${within}` : ""}.`,
      );
    });
  },
  /** The structured answer contains these fields; without them, it is what the case expects. */
  hasOutput: (fields?: JsonObject): Judge => ({
    name: "reply has output",
    judge: ({ output, case: of }) => {
      const wanted = fields ?? of.expected;
      if (wanted === undefined) throw configError(`The case '${of.name}' has no \`expected\` output.`);
      const has = contains(output as Json, wanted);
      return verdict(has, `The output is ${quoted(JSON.stringify(output) ?? "undefined")}.`);
    },
  }),
};

/** True if each field of `wanted` is in `value`, at any depth; lists are compared whole. */
function contains(value: Json | undefined, wanted: Json): boolean {
  if (!isObject(wanted)) return isSame(value, wanted);
  return isObject(value) && Object.entries(wanted).every(([key, part]) => contains(value[key], part!));
}

/** The part of a run in which things happen. */
type OccurrenceScope = Pick<EvalRun, "facts" | "steps">;

/** Something that may happen in a run, at some steps. It is a judge that it happens at least once. */
export class Occurrence implements Judge {
  readonly name: string;
  /** Returns the steps at which it happened, in order. */
  readonly find: (run: OccurrenceScope) => readonly number[];

  constructor(name: string, find: (run: OccurrenceScope) => readonly number[]) {
    this.name = name;
    this.find = find;
  }

  judge(run: OccurrenceScope): Verdict {
    const steps = this.find(run);
    return verdict(steps.length > 0, `${this.name}: ${told(steps)}.`);
  }

  /** Judges that it happens so many times. */
  times(count: number): Judge {
    return this.#counted(`${this.name} ${counted(count)} times`, (times) => times === count);
  }

  /** Judges that it happens so many times or less. */
  atMost(count: number): Judge {
    return this.#counted(`${this.name} at most ${counted(count)} times`, (times) => times <= count);
  }

  /** Judges that it happens so many times or more. */
  atLeast(count: number): Judge {
    return this.#counted(`${this.name} at least ${counted(count)} times`, (times) => times >= count);
  }

  /** Judges that it never happens. */
  never(): Judge {
    return this.#counted(`never ${this.name}`, (times) => times === 0);
  }

  /** Judges that each time the other happens, this has happened before. A run in which the other never happens passes. */
  before(other: Occurrence): Judge {
    return {
      name: `${this.name} before ${other.name}`,
      judge: (run) => {
        const [first] = this.find(run);
        const [later] = other.find(run);
        if (later === undefined) return verdict(true, `${other.name}: never.`);
        const isBefore = first !== undefined && first < later;
        return verdict(
          isBefore,
          `${this.name}: ${told(this.find(run))}; ${other.name}: ${told(other.find(run))}.`,
        );
      },
    };
  }

  #counted(name: string, test: (times: number) => boolean): Judge {
    return {
      name,
      judge: (run) => {
        const steps = this.find(run);
        return verdict(test(steps.length), `${this.name}: ${told(steps)}.`);
      },
    };
  }
}

/** The count, if it is one. Throws `config/invalid`. */
function counted(count: number): number {
  if (Number.isInteger(count) && count >= 0) return count;
  throw configError(`A number of times is ${count}; expected an integer from 0 on.`);
}

function told(steps: readonly number[]): string {
  if (steps.length === 0) return "never";
  const shown = steps.slice(0, 5).join(", ");
  return `${steps.length} times, at step ${shown}${steps.length > 5 ? " …" : ""}`;
}

/** True if a call came to something: it was not denied, and its result is there. */
const hasRun = ({ answeredAt, state }: CallFact): boolean =>
  answeredAt !== undefined && (state === "success" || state === "error");

const namedWith = (tool: string, input?: JsonObject): string =>
  input ? `${tool} with ${JSON.stringify(input)}` : tool;

/** Returns what tells the calls of a tool. Throws `config/invalid` for a name that no tool has: it would be used never. */
function isCallOf(tool: string, input: JsonObject | undefined): (call: CallFact) => boolean {
  checkTool(tool);
  return (call) => call.tool === tool && (!input || contains(call.input, input));
}

function checkTool(tool: string): void {
  check(s.nonEmpty(), tool, "the name of a tool");
}

/**
 * Returns the request of the model to call a tool, whether the call ran or not. With `input`, only calls whose arguments contain these
 * fields.
 *
 * @example
 * ```ts
 * import { asked } from "agentchart/evals";
 *
 * export const wantsNoRefund = asked("refund").never();
 * ```
 */
export function asked(tool: string, input?: JsonObject): Occurrence {
  const isCall = isCallOf(tool, input);
  return new Occurrence(`asked for ${namedWith(tool, input)}`, ({ facts }) =>
    facts.calls.filter(isCall).map(({ askedAt }) => askedAt),
  );
}

/**
 * Returns the run of a tool: the step at which its result was stored, a success or an error. A call that was denied did not run. With
 * `input`, only calls whose arguments, as the model gave them, contain these fields.
 *
 * @example
 * ```ts
 * import { path, used } from "agentchart/evals";
 *
 * export const asksFirst = path.visits("suspended.waiting").before(used("refund", { cents: 500 }));
 * ```
 */
export function used(tool: string, input?: JsonObject): Occurrence {
  const isCall = isCallOf(tool, input);
  return new Occurrence(`used ${namedWith(tool, input)}`, ({ facts }) =>
    facts.calls
      .filter((call) => hasRun(call) && isCall(call))
      .map(({ answeredAt }) => answeredAt!)
      .toSorted((a, b) => a - b),
  );
}

/**
 * Judges that these tools ran in this order, as the model asked for them; others may lie between them. Throws `config/invalid` without a tool.
 *
 * @example
 * ```ts
 * import { usedInOrder } from "agentchart/evals";
 *
 * export const verifies = usedInOrder("verify", "refund");
 * ```
 */
export function usedInOrder(...tools: readonly string[]): Judge {
  if (tools.length === 0) throw configError("usedInOrder: expected the names of tools.");
  tools.forEach(checkTool);
  return {
    name: `used ${tools.join(", then ")}`,
    judge: ({ facts }) => {
      let next = 0;
      const ran = facts.calls.filter(hasRun);
      for (const { tool } of ran) if (tool === tools[next]) next++;
      const calls = ran.map(({ tool }) => tool).join(", ");
      return verdict(next === tools.length, `The calls were ${calls || "none"}.`);
    },
  };
}

/** Occurrences on the chart. */
export const path = {
  /** A state is entered, such as "suspended.waiting". Throws `config/invalid` for a state that the chart does not have. */
  visits(state: string): Occurrence {
    const known = [...agentResolver.nodes.values()]
      .filter(({ kind }) => kind === "state")
      .map((node) => node.path);
    if (state === "" || !known.includes(state))
      throw configError(`The chart has no state '${state}'; \`agentchart chart\` prints them.`);
    return new Occurrence(`visits ${state}`, ({ steps }) =>
      steps.flatMap(({ step, states }, place) =>
        states.includes(state) && !steps[place - 1]?.states.includes(state) ? [step] : [],
      ),
    );
  },
  /** An edge is taken; its id begins with this text, such as "agent.acting.reviewing|". Throws `config/invalid` for one that the chart does not
   *  have. */
  takes(edge: string): Occurrence {
    if (edge === "" || !edgeIds().some((id) => id.startsWith(edge)))
      throw configError(`The chart has no edge whose id begins with '${edge}'.`);
    return new Occurrence(`takes ${edge}`, ({ steps }) =>
      steps.flatMap(({ step, edges }) => edges.filter((id) => id.startsWith(edge)).map(() => step)),
    );
  },
};

const edgeIds = (): readonly string[] =>
  [...agentResolver.nodes.values()].flatMap(({ decide, on }) =>
    edgesOf([decide, ...on.values()].flat() as never).map((transition) => transition.edge),
  );

/** Throws `config/invalid` for a kind of suspicions that there is not: nothing would ever be found. */
export function checkSuspicion(kind: string): void {
  const kinds = SUSPICIONS.map(({ name }) => name);
  if (!kinds.includes(kind))
    throw configError(`There is no suspicion '${kind}'; there are ${kinds.join(", ")}.`);
}

/** Upper bounds of a run; each is allowed itself. */
export type Limits = {
  readonly tokens?: number | undefined;
  readonly cost?: number | undefined;
  readonly modelCalls?: number | undefined;
  readonly toolCalls?: number | undefined;
  readonly durationMs?: number | undefined;
};

const limitsSchema = s.lazily(() => {
  const limit = s.optional(s.atLeast(0));
  return s.options<Limits>({
    tokens: limit,
    cost: limit,
    modelCalls: limit,
    toolCalls: limit,
    durationMs: limit,
  });
});

/**
 * Judges that a run used no more than this. A count that is not known does not pass. Throws `config/invalid` without a limit, and for one that is
 * not a number.
 *
 * @example
 * ```ts
 * import { atMost } from "agentchart/evals";
 *
 * export const cheap = atMost({ tokens: 20_000, cost: 0.1, toolCalls: 8 });
 * ```
 */
export function atMost(limits: Limits): Judge {
  check(limitsSchema(), limits, "atMost");
  const given = Object.entries(limits).filter(([, limit]) => limit !== undefined) as [keyof Limits, number][];
  if (given.length === 0) throw configError("atMost: expected at least one limit.");
  return {
    name: `at most ${given.map(([name, limit]) => `${limit} ${name}`).join(", ")}`,
    judge: (run) => {
      const used = { ...run, tokens: tokensOf(run.usage), cost: run.usage.cost };
      const over = given.filter(([name, limit]) => !((used[name] ?? Infinity) <= limit));
      const said = given.map(([name, limit]) => `${used[name] ?? "unknown"} of ${limit} ${name}`).join(", ");
      return verdict(over.length === 0, `The run used ${said}.`);
    },
  };
}

/** The tokens of a usage; undefined if a count is not known. */
export const tokensOf = ({
  inputTokens,
  outputTokens,
}: {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
}): number | undefined =>
  inputTokens === undefined || outputTokens === undefined ? undefined : inputTokens + outputTokens;

/**
 * Judges that nothing is odd in a run: no suspicion of these kinds, or of any kind. Throws `config/invalid` for an unknown kind.
 *
 * @example
 * ```ts
 * import { notSuspicious } from "agentchart/evals";
 *
 * export const makesProgress = notSuspicious("loop", "repeated-call");
 * ```
 */
export function notSuspicious(...kinds: readonly string[]): Judge {
  kinds.forEach(checkSuspicion);
  return {
    name: kinds.length > 0 ? `no suspicion of ${kinds.join(", ")}` : "no suspicion",
    judge: ({ suspicions }) => {
      const found = suspicions.filter(({ kind }) => kinds.length === 0 || kinds.includes(kind));
      const said = found.map(({ kind, text, steps }) => `${kind} at step ${steps[0]}: ${text}`).join(" ");
      return verdict(found.length === 0, said || "Nothing is odd.");
    },
  };
}

/**
 * Judges by a function.
 *
 * @example
 * ```ts
 * import { by } from "agentchart/evals";
 *
 * export const isShort = by("is short", ({ text }) => text.length <= 280);
 * ```
 */
export function by(name: string, judge: Judge["judge"]): Judge {
  return { name, judge };
}
