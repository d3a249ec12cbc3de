import { perObject } from "../../core/base/json.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import type { CallRecord } from "../../../machines/agent/call-record.ts";
import { idOfCall } from "../../../machines/agent/updates/rule-batch.ts";
import type { LawState, Letter } from "../../core/tool/rules/law.ts";
import { usesOf } from "../../core/tool/rules/uses.ts";

/** Far longer than a walk takes without the jumps of its clock, and a whole part of each of them, ms. */
export const UNIT_MS = 10_000_000;

/** The time since an instant, in jumps of the clock: what passes between them is of no account. */
export const ageOf = (then: number, now: number): number => Math.round((now - then) / UNIT_MS);

/** A letter as a text; letters are made once and used often. */
const textOf = perObject((letter: Letter): string => JSON.stringify(letter));

/** Returns a letter as a text; "" without one. */
export const letterKey = (letter: Letter | undefined): string => (letter ? textOf(letter) : "");

/** The memory of a law, with its open calls by their places: a retry of one counts in the place of its attempt. */
export function memoryKey(state: LawState, at: number, open: readonly string[]): string {
  const { seen, used = {}, isLost, of } = state;
  const seenKey = Object.entries(seen ?? {}).map(([key, then]) => `${key}@${ageOf(then, at)}`);
  const usedKey = Object.keys(used).map((key) => {
    const each = usesOf(used, key).map(
      ([call, then, amount]) => `${open.indexOf(call)}:${amount}@${ageOf(then, at)}`,
    );
    return `${key}=${each.toSorted().join("+")}`;
  });
  const parts = of?.map((part) => memoryKey(part, at, open)) ?? [];
  return `${seenKey.toSorted().join()};${usedKey.toSorted().join()};${isLost ? "lost" : ""};${parts.join("|")}`;
}

function recordKey({ rules }: CallRecord): string {
  if (!rules) return "";
  const { letters = {}, approver, asked, waived, maybe, isUnknown, isInner } = rules;
  const read = Object.values(letters).map(letterKey).join();
  return `${read} ${approver ?? ""} ${asked?.join() ?? ""} ${[...new Set(waived)].join()}${maybe ? "m" : ""}${isUnknown ? "?" : ""}${isInner ? "i" : ""}`;
}

/** The part of the rules that a guard may read: what they remember, and what a call has left. */
export function rulesKey(context: AgentContext): string {
  const { settings, progress, calls, at } = context;
  if (settings.rules === undefined) return "";
  const open = calls.map((_, place) => idOfCall(context, place));
  const known = settings.rules.map(({ name, scope }) => {
    const state = progress.rules?.[name];
    if (!state) return "";
    const isOld = scope === "turn" && state.turn !== progress.turn;
    return `${isOld ? "old " : ""}${memoryKey(state, at, open)}`;
  });
  return `${known.join("/")} ${calls.map(recordKey).join("/")}`;
}
