import { isObject } from "../../../src/core/base/json.ts";
import type { CallAccount, Json, JsonObject } from "../wire/types.ts";
import { t } from "../words/t.ts";

type Candidate = { readonly [key: string]: unknown };

/** Arguments as text, or how long they were if they were too long to be recorded. */
function textOf(now: Candidate): string {
  if ("input" in now) return JSON.stringify(now["input"], null, 2);
  return t`not recorded: ${String(now["omitted"])} characters`;
}

function whoOf(by: unknown): string {
  if (!isObject(by)) return t("an unknown cause");
  if (typeof by["hook"] === "string") return t`the hook ${by["hook"]}`;
  const { person } = by;
  if (person === "inspector") return t("a person in the inspector");
  return typeof person === "string" ? person : t("a person");
}

/** A change of the arguments of a call: who made it, and the arguments before and after. */
export type ArgumentChange = { readonly who: string; readonly before: string; readonly after: string };

/** Returns the changes of the arguments of a call on their way to `execute`, in order. */
export function argumentChanges(asked: Json, account: CallAccount | undefined): readonly ArgumentChange[] {
  const { changed = [], ran } = account ?? {};
  const changes: ArgumentChange[] = [];
  let before = JSON.stringify(asked, null, 2);
  const add = (who: string, now: Candidate): void => {
    const after = textOf(now);
    if (after !== before) changes.push({ who, before, after });
    before = after;
  };
  for (const each of changed) add(whoOf(each.by), each);
  if (ran && ("input" in ran || "omitted" in ran)) add(t("the schema of the tool"), ran);
  return changes;
}

/** Who changed the result, as one line; "" if nobody did. */
export function resultChange(account: CallAccount | undefined): string {
  const who = (account?.results ?? []).map(({ by }) => whoOf(by));
  return who.length === 0 ? "" : t`The result was changed by ${[...new Set(who)].join(t(", then "))}.`;
}

/** The reason for which an attempt of a call has no outcome, if its process ended while it ran; undefined for any other. */
export function cutOff(account: CallAccount | undefined, attempt: number): string | undefined {
  return account?.attempts?.find((each) => each.attempt === attempt && each.endedAt === undefined)?.error;
}

const PARTS: { readonly [part: string]: (item: Candidate) => boolean } = {
  changed: ({ by, at }) => isObject(by) && typeof at === "number",
  asked: ({ at, reason }) => typeof at === "number" && typeof reason === "string",
  decided: ({ at, decision }) => typeof at === "number" && typeof decision === "string",
  attempts: ({ attempt, startedAt, error, process = "" }) =>
    typeof attempt === "number" &&
    typeof startedAt === "number" &&
    typeof error === "string" &&
    typeof process === "string",
  results: ({ by }) => isObject(by),
  rules: ({ rule, did }) => typeof rule === "string" && typeof did === "string",
};

/** The account of a call as far as it can be read: parts of another shape, such as in a file that was edited, are left out. */
export function readAccount(value: unknown): CallAccount | undefined {
  if (!isObject(value)) return undefined;
  const { ran, process } = value;
  const parts = Object.entries(PARTS).flatMap(([part, fits]) => {
    const items = (value as JsonObject)[part];
    return Array.isArray(items) && items.every((item) => isObject(item) && fits(item)) ? [[part, items]] : [];
  });
  const account = {
    ...Object.fromEntries(parts),
    ...(isObject(ran) && { ran }),
    ...(typeof process === "string" && { process }),
  } as CallAccount;
  return Object.keys(account).length > 0 ? account : undefined;
}
