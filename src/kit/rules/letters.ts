import crypto from "node:crypto";
import { messageOf } from "../../core/base/error.ts";
import { frozenCopy, type JsonObject } from "../../core/base/json.ts";
import { truncated } from "../../core/base/shown.ts";
import { isCounted, isJudged, type Letter, type RuleData } from "../../core/tool/rules/law.ts";
import type { ReadLetter, Rule, RuleParts } from "../../core/tool/rules/rule.ts";

const ID_LENGTH = 12;

/** The id of a law. It changes with what is demanded, with the argument that calls are about, and with the text of the functions that read
 *  arguments. */
export function idOf({ law, functions, subject }: RuleParts, scope: RuleData["scope"]): string {
  const text = JSON.stringify([
    law,
    scope,
    functions.map(String),
    ...(subject === undefined ? [] : [subject]),
  ]);
  return crypto.hash("sha256", text).slice(0, ID_LENGTH);
}

const isSameLetter = (one: Letter, other: Letter): boolean =>
  one.key === other.key &&
  Object.is(one.amount, other.amount) &&
  one.isOther === other.isOther &&
  one.isVoid === other.isVoid &&
  one.table === other.table &&
  one.of?.length === other.of?.length &&
  (one.of === undefined || one.of.every((part, index) => isSameLetter(part, other.of![index]!)));

/** Returns what rules read in the arguments of a call, by the name of the rule; only of rules that read any. The arguments are read
 *  twice: what then differs, and what a function throws, is a problem, with which no call runs. They are frozen: a function that changes
 *  them throws. */
export function lettersOf(
  rules: readonly Rule[],
  name: string,
  input: JsonObject,
): { readonly [rule: string]: Letter } | undefined {
  let letters: { [rule: string]: Letter } | undefined;
  let frozen: JsonObject | undefined;
  for (const { data, parts } of rules) {
    if (!parts.read || !(isJudged(data.law, name) || isCounted(data.law, name))) continue;
    letters ??= {};
    frozen ??= frozenCopy(input);
    letters[data.name] = readLetter(parts.read, name, frozen);
  }
  return letters;
}

function readLetter(read: ReadLetter, name: string, input: JsonObject): Letter {
  try {
    const letter = read(name, input);
    if (isSameLetter(letter, read(name, input))) return letter;
    return { problem: "what it reads in the arguments is not the same each time" };
  } catch (error) {
    return { problem: truncated(messageOf(error)) };
  }
}
