import { isObject } from "../../../src/core/base/json.ts";
import { readAccount } from "../logic/call-account.ts";
import { localTime } from "../logic/format.ts";
import type { Json, JsonObject } from "../wire/types.ts";
import { t } from "../words/t.ts";

/** The memory of a rule at a step, as lines of text. */
export type RuleRow = { readonly name: string; readonly lines: readonly string[] };

/** The effect of a rule on a call. */
export type RuleMark = {
  readonly callId: string;
  readonly tool: string;
  readonly rule: string;
  readonly did: string;
};

/** So many subjects are listed of a rule that knows more. */
const LISTED = 12;

const DID: { readonly [did: string]: string } = {
  ordered: t("put behind others of its batch"),
  denied: t("denied"),
  asked: t("asked a person about"),
  ended: t("denied, and ended the turn at"),
  shadow: t("would have stopped"),
};

const timeOf = (at: unknown): string => (typeof at === "number" ? localTime(at) : "?");
const about = (key: string): string => (key === "" ? "" : t` about ${key}`);

function linesOf(state: JsonObject): readonly string[] {
  const { seen, used, isLost, of, turn } = state;
  const lines: string[] = [];
  if (isObject(seen))
    for (const [key, at] of Object.entries(seen)) lines.push(t`a success${about(key)}, ${timeOf(at)}`);
  if (isObject(used))
    for (const [key, calls] of Object.entries(used)) {
      // a list, or in sessions of 0.1.0 by the ids of the calls: the amount stands last
      const counted: readonly unknown[] = typeof calls === "object" && calls ? Object.values(calls) : [];
      const sum = counted.reduce<number>(
        (all, each) => all + Number(Array.isArray(each) ? each.at(-1) : 0),
        0,
      );
      lines.push(
        t`${counted.length} ${counted.length === 1 ? t("call") : t("calls")}${about(key)}, ${sum} in all`,
      );
    }
  if (Array.isArray(of))
    of.filter(isObject).forEach((part, index) =>
      lines.push(...linesOf(part).map((line) => t`part ${index + 1}: ${line}`)),
    );
  if (isLost === true) lines.push(t("something that counts may have happened without a trace"));
  if (typeof turn === "number") lines.push(t`about turn ${turn}`);
  return lines;
}

/** Returns what the rules of a run remember at a step; empty for a run without rules. */
export function ruleRows({ progress }: JsonObject): readonly RuleRow[] {
  const rules = isObject(progress) ? progress["rules"] : undefined;
  if (!isObject(rules)) return [];
  return Object.entries(rules).map(([name, state]) => {
    const lines = isObject(state) ? linesOf(state) : [];
    const more = lines.length - LISTED;
    return { name, lines: more > 0 ? [...lines.slice(0, LISTED), t`and ${more} more`] : lines };
  });
}

const listOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** Returns what rules did to calls until a step, in order of the calls. */
export function ruleMarks({ calls, messages }: JsonObject): readonly RuleMark[] {
  const results = listOf(messages)
    .flatMap(({ content }) => listOf(content))
    .filter(({ type }) => type === "tool_result");
  const found = new Map<string, RuleMark[]>();
  const add = (id: Json | undefined, tool: Json | undefined, value: Json | undefined): void => {
    const marks = (readAccount(value)?.rules ?? []).map(({ rule, did }) => ({
      callId: String(id),
      tool: String(tool),
      rule,
      did: DID[did] ?? did,
    }));
    if (marks.length > 0) found.set(String(id), marks);
  };
  for (const { id, name, account } of results) add(id, name, account);
  for (const { call, account, result } of listOf(calls)) {
    const given = isObject(result) && isObject(result["account"]) ? result["account"] : account;
    if (isObject(call)) add(call["id"], call["name"], given);
  }
  return [...found.values()].flat();
}
