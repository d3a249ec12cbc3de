// src/core/tool/rules holds the automata of rules about calls: what they demand, what they remember, and how a call is judged.
import { perObject } from "../../base/json.ts";
import { matchesName } from "../name-pattern.ts";
import type { Used } from "./uses.ts";

/** The demand of a rule, as data: names of tools may hold `*` and `?`. Times in ms. */
export type Law =
  /** A call of `then` runs only after one of `first` has succeeded. */
  | {
      readonly kind: "before";
      readonly first: readonly string[];
      readonly then: readonly string[];
      readonly within?: number;
      /** A result that somebody gave for a suspended call counts as a success. */
      readonly answers?: true;
    }
  /** No call of `then` runs once one of `after` may have succeeded. */
  | {
      readonly kind: "never";
      readonly after: readonly string[];
      readonly then: readonly string[];
      readonly within?: number;
    }
  /** The amounts of the calls of `then` that may have succeeded are `max` in all. */
  | {
      readonly kind: "limit";
      readonly then: readonly string[];
      readonly max: number;
      readonly within?: number;
    }
  /** One of these people has approved the call. */
  | { readonly kind: "approved"; readonly then: readonly string[]; readonly by: readonly string[] }
  /** A predicate over the arguments and over which of the tools `knows` have succeeded. */
  | { readonly kind: "if"; readonly then: readonly string[]; readonly knows: readonly string[] }
  /** One of these holds. */
  | { readonly kind: "any"; readonly of: readonly Law[] };

/** A rule as data: what the chart enforces, the explorer walks and the audit reads. */
export type RuleData = {
  readonly name: string;
  /** The demand of the law, as an English sentence. */
  readonly says: string;
  /** Names the law and the functions that read arguments for it: another id is another rule. */
  readonly id: string;
  /** Whether what has happened counts for the session or for one turn. */
  readonly scope: "session" | "turn";
  /** The handling of a call that breaks it. */
  readonly onBreak: "deny" | "ask" | "end";
  readonly mode: "enforce" | "shadow";
  /** True if arguments are read for it: a call that nobody has read for it does not run. */
  readonly reads: boolean;
  readonly law: Law;
};

/** The values that a rule has read in the arguments of a call. */
export type Letter = {
  /** The subject of the call; default "". */
  readonly key?: string;
  /** The amount for which it counts; default 1. */
  readonly amount?: number;
  /** The rule is not about such a call. */
  readonly isOther?: true;
  /** Its success means nothing to the rule. */
  readonly isVoid?: true;
  /** Of `if`: bit n is 1 if the call may run when the tools of the bits of n have succeeded. */
  readonly table?: number;
  /** The reason for which nothing could be read. */
  readonly problem?: string;
  /** The values that each part of `any` has read. */
  readonly of?: readonly Letter[];
};

/** The memory of a law. It only grows: two memories of one session are joined without loss, and in any order. */
export type LawState = {
  /** The newest success about each key; of `if`, of each tool. Epoch ms. */
  readonly seen?: { readonly [key: string]: number };
  /** The calls about each key that may have succeeded. */
  readonly used?: Used;
  /** Something that would count may have happened without a trace. */
  readonly isLost?: true;
  readonly of?: readonly LawState[];
};

/** The memory of a rule in a session. */
export type RuleState = LawState & { readonly id: string; readonly turn?: number };

/** The memory of the rules of a session, by name. */
export type RuleStates = { readonly [rule: string]: RuleState };

/** The outcome of a call: `answered` by somebody in the place of its execution; `maybe` it took effect. */
export type Came = "success" | "answered" | "maybe";

/** A call in the eyes of one law. Without a `letter` nothing was read. */
export type RuledCall = {
  readonly id: string;
  readonly name: string;
  readonly letter: Letter | undefined;
  /** Who has approved it. */
  readonly approver?: string;
};

/** Another call of the batch: it runs, may run later, or may have taken effect and will not say so soon. */
export type OtherCall = RuledCall & { readonly is: "running" | "next" | "stuck" };

/** The most calls and keys that a law remembers. */
export const MAX_REMEMBERED = 1_000;

/** The most names of tools about which something is remembered: a model may invent names. */
const MAX_NAMES = 1_000;

/** Returns a function that finds something out about the name of a tool once: laws are asked about the same few for each call. */
export function perName<Of extends object, T>(
  find: (of: Of, name: string) => T,
): (of: Of, name: string) => T {
  const found = perObject((_: Of) => new Map<string, T>());
  return (of, name) => {
    const known = found(of);
    const former = known.get(name);
    if (former !== undefined) return former;
    const is = find(of, name);
    if (known.size >= MAX_NAMES) known.clear();
    known.set(name, is);
    return is;
  };
}

const includes = perName((patterns: readonly string[], name): boolean =>
  patterns.some((pattern) => matchesName(pattern, name)),
);

/** Returns which of the patterns a name matches: bit n is 1 if it matches the n-th. */
export const bitsOf = perName((patterns: readonly string[], name): number =>
  patterns.reduce((bits, pattern, at) => (matchesName(pattern, name) ? bits | (1 << at) : bits), 0),
);

/** True if calls of the tool are judged by the law. */
export function isJudged(law: Law, name: string): boolean {
  return law.kind === "any" ? law.of.some((part) => isJudged(part, name)) : includes(law.then, name);
}

/** True if the success of such a call changes what the law remembers. */
export function isCounted(law: Law, name: string): boolean {
  switch (law.kind) {
    case "before":
      return includes(law.first, name);
    case "never":
      return includes(law.after, name);
    case "limit":
      return includes(law.then, name);
    case "if":
      return includes(law.knows, name);
    case "approved":
      return false;
    case "any":
      return law.of.some((part) => isCounted(part, name));
  }
}

/** Returns when a law has last heard of a success about a key: a model may call a customer "constructor". */
export function seenAt(seen: LawState["seen"], key: string): number | undefined {
  return seen && Object.hasOwn(seen, key) ? seen[key] : undefined;
}

/** True if the law asks who has approved a call. */
export function asksWho(law: Law): boolean {
  return law.kind === "any" ? law.of.some(asksWho) : law.kind === "approved";
}

/** The patterns of tools that a law names. */
export function toolsOf(law: Law): readonly string[] {
  if (law.kind === "any") return law.of.flatMap(toolsOf);
  const { then } = law;
  if (law.kind === "before") return [...law.first, ...then];
  if (law.kind === "never") return [...law.after, ...then];
  return law.kind === "if" ? [...law.knows, ...then] : then;
}
