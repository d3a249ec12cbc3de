import type { TriedRule } from "../wire/types.ts";
import { t } from "../words/t.ts";

/** The fields of the form, as texts. */
export type RuleFields = {
  readonly kind: TriedRule["kind"];
  readonly first: string;
  readonly then: string;
  readonly per: string;
  readonly max: string;
  readonly amount: string;
  readonly people: string;
  readonly within: string;
  readonly scope: TriedRule["scope"];
};

/** The form before anybody has written into it. */
export const EMPTY: RuleFields = {
  kind: "before",
  first: "",
  then: "",
  per: "",
  max: "1",
  amount: "",
  people: "",
  within: "",
  scope: "session",
};

const UNITS: { readonly [unit: string]: number } = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const namesIn = (text: string): readonly string[] => text.split(/[\s,]+/u).filter((name) => name !== "");

/** Returns the rule that a form describes, or what is wrong with it. */
export function readRule(fields: RuleFields): TriedRule | string {
  const { kind, scope } = fields;
  const [first, then, people] = [namesIn(fields.first), namesIn(fields.then), namesIn(fields.people)];
  const per = fields.per.trim();
  if (then.length === 0) return t("Say which tool the rule is about.");
  const hasFirst = kind === "before" || kind === "never";
  if (hasFirst && first.length === 0) return t("Say which tool comes before.");
  const hasMax = kind === "atMost" || kind === "sum";
  const max = Number(fields.max);
  if (hasMax && !(fields.max.trim() !== "" && max >= 0)) return t("Give a number of at least 0.");
  const amount = fields.amount.trim();
  if (kind === "sum" && amount === "") return t("Say which argument is summed up.");
  if (kind === "approvedBy" && people.length === 0) return t("Say who approves.");
  const [, count, unit] = /^(\d+(?:\.\d+)?)\s*([smhd])$/u.exec(fields.within.trim()) ?? [];
  if (fields.within.trim() !== "" && !(Number(count) > 0)) return t("Give a time such as 30m, 24h or 7d.");
  return {
    kind,
    then,
    scope,
    ...(hasFirst && { first }),
    ...(per !== "" && kind !== "approvedBy" && { per }),
    ...(hasMax && { max }),
    ...(kind === "sum" && { amount }),
    ...(kind === "approvedBy" && { people }),
    ...(count !== undefined && kind !== "approvedBy" && { withinMs: Number(count) * UNITS[unit!]! }),
  };
}
