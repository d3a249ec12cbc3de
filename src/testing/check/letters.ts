import { configError } from "../../core/base/error.ts";
import { isCounted, isJudged, type Law, type Letter } from "../../core/tool/rules/law.ts";
import type { Rule, Wants } from "../../core/tool/rules/rule.ts";
import type { Letters } from "../explorer/desk.ts";

/** The most readings of a rule that joins several. */
const MOST = 1_000;

/** The subjects of calls: with two of them each call is about the same as another one, or about something else. */
const KEYS = ["a", "b"];

/** All that a law may want to know of the arguments of a call of a tool: each function of the user is tried both ways. */
function readings(law: Law, wants: Wants, name: string): readonly Letter[] {
  if (law.kind === "any") {
    const each = law.of.map((part, index) => readings(part, wants.of?.[index] ?? {}, name));
    const ways = each.reduce((count, options) => count * options.length, 1);
    if (ways > MOST)
      throw configError(
        `checkRules: a rule of anyOf can read the arguments of '${name}' in ${ways} ways; expected at most ${MOST}. Join fewer rules.`,
      );
    return each
      .reduce<readonly (readonly Letter[])[]>(
        (before, options) => before.flatMap((made) => options.map((letter) => [...made, letter])),
        [[]],
      )
      .map((of) => ({ of }));
  }
  const judged = isJudged(law, name);
  const counted = isCounted(law, name);
  const isLimit = law.kind === "limit";
  const none: readonly Letter[] = [
    ...(wants.isOther && judged ? [{ isOther: true } as const] : []),
    ...(wants.isVoid && counted ? [{ isVoid: true, ...(judged && wants.key && { key: "a" }) } as const] : []),
  ];
  const tables = law.kind === "if" && wants.table ? tablesOf(law.knows.length) : undefined;
  if (tables) return judged ? tables.map((table) => ({ table })) : [{}];
  // of two successes about different subjects the one that comes first may as well be the first subject
  const keys = !wants.key ? [undefined] : judged || isLimit ? KEYS : KEYS.slice(0, 1);
  const amounts = isLimit && wants.amount ? amountsOf(law.max) : [undefined];
  const full = keys.flatMap((key, place) =>
    (keys.length === 1 ? amounts : place === 0 ? amounts.slice(0, 2) : amounts.slice(-1)).map((amount) => ({
      ...(key !== undefined && { key }),
      ...(amount !== undefined && { amount }),
    })),
  );
  const hasFunctions = Object.keys(wants).length > 0;
  return [...full, ...none, ...(hasFunctions ? [{ problem: "its arguments cannot be read" }] : [])];
}

/** Amounts of which two fit, one fits, and none fits; of two subjects the last one is tried about the second alone. */
const amountsOf = (max: number): readonly number[] => [...new Set([max / 2, max, max + 1])];

/** Predicates over which of the tools have succeeded: never, always, once all have, and while none has. */
const tablesOf = (known: number): readonly number[] => [
  ...new Set([0, 2 ** (2 ** known) - 1, 2 ** (2 ** known - 1), 1]),
];

const isAbout = ({ law }: Rule["data"], name: string): boolean => isJudged(law, name) || isCounted(law, name);

/** Returns all that the rule that is proved may read in the arguments of a call of a tool. */
export function lettersFor({ data, parts }: Rule, name: string): readonly Letters[] {
  if (!parts.wants || !isAbout(data, name)) return [{}];
  return readings(data.law, parts.wants, name).map((letter) => ({ [data.name]: letter }));
}

/** Returns what other rules may read in the arguments of such a call: that they are about it, and, if they may say so, that none is. */
export function otherLetters(others: readonly Rule[], name: string): readonly Letters[] {
  const read = others.flatMap(({ data, parts }) =>
    parts.wants && isAbout(data, name) ? [[data.name, readings(data.law, parts.wants, name)] as const] : [],
  );
  if (read.length === 0) return [];
  const first = Object.fromEntries(read.map(([of, options]) => [of, options[0]!]));
  const second = Object.fromEntries(read.map(([of, options]) => [of, options.find(saysNone) ?? options[0]!]));
  return isSame(first, second) ? [first] : [first, second];
}

/** True if a law has nothing against such a call, or does not count it. */
const saysNone = ({ isOther, isVoid, of }: Letter): boolean =>
  of?.some(saysNone) ?? isOther ?? isVoid ?? false;

const isSame = (one: Letters, other: Letters): boolean => JSON.stringify(one) === JSON.stringify(other);
