import {
  bitsOf,
  isCounted,
  isJudged,
  seenAt,
  type Law,
  type LawState,
  type Letter,
  type OtherCall,
  type RuledCall,
} from "./law.ts";
import { isIn, summaryOf, usesOf } from "./uses.ts";

/** The judgement of a call: it may run, it may once others of its batch have come to something, or it breaks the law. */
export type Judgement = "run" | "wait" | "break";

const RANK = { run: 0, wait: 1, break: 2 } as const satisfies { readonly [is in Judgement]: number };

/** Of two judgements, the stricter. */
export const worst = (one: Judgement, other: Judgement): Judgement => (RANK[one] > RANK[other] ? one : other);
const best = (one: Judgement, other: Judgement): Judgement => (RANK[one] < RANK[other] ? one : other);

/** The other calls of a batch, which most judgements do not ask for. */
export type Others = () => readonly OtherCall[];

const keyOf = (letter: Letter | undefined): string => letter?.key ?? "";

/** True if the instant is within the window before `at`. What comes from the future of a clock that was set back counts only against a
 *  call. */
function isRecent(
  then: number | undefined,
  at: number,
  within: number | undefined,
  counts: "for" | "against",
) {
  if (then === undefined) return false;
  if (then > at) return within === undefined || counts === "against";
  return within === undefined || at - then <= within;
}

/** The others that the law counts, and that are about the same. One of which nothing was read may be about anything. */
function about(law: Law, call: RuledCall, others: Others): readonly OtherCall[] {
  return others().filter(({ name, letter }) => {
    if (!isCounted(law, name) || letter?.isVoid) return false;
    if (law.kind === "limit" && letter?.isOther) return false;
    return letter?.problem !== undefined || keyOf(letter) === keyOf(call.letter);
  });
}

/** Returns the amount that counts of the calls about a key, without that of the call itself. */
export function usedBy(
  { used }: LawState,
  { id: self, letter }: RuledCall,
  at: number,
  { within }: Extract<Law, { kind: "limit" }>,
): number {
  const key = keyOf(letter);
  const { amount: all, oldest } = summaryOf(used, key);
  const isAll = within === undefined || isRecent(oldest, at, within, "against");
  if (isAll && !isIn(used, key, self)) return all;
  let sum = 0;
  for (const [id, then, amount] of usesOf(used, key))
    if (id !== self && isRecent(then, at, within, "against")) sum += amount;
  return sum;
}

const total = (calls: readonly OtherCall[]): number =>
  calls.reduce(
    (sum, { letter }) => sum + (letter?.problem === undefined ? (letter?.amount ?? 1) : Infinity),
    0,
  );

/** All unions of `base` with some of the bits of `more`. */
function unions(base: number, more: number): readonly number[] {
  const found: number[] = [];
  for (let part = more; ; part = (part - 1) & more) {
    found.push(base | part);
    if (part === 0) return found;
  }
}

function judgeIf(
  law: Extract<Law, { kind: "if" }>,
  state: LawState,
  { letter }: RuledCall,
  othersOf: Others,
): Judgement {
  const { table = 0 } = letter ?? {};
  const every = (1 << (1 << law.knows.length)) - 1;
  if ((table & every) === every) return "run";
  if ((table & every) === 0) return "break";
  const allows = (bits: number): boolean => (table & (1 << bits)) !== 0;
  let now = 0;
  law.knows.forEach((name, index) => {
    if (seenAt(state.seen, name) !== undefined) now |= 1 << index;
  });
  let running = 0;
  let coming = 0;
  for (const { is, name } of othersOf()) {
    if (is === "stuck") continue;
    const bits = bitsOf(law.knows, name);
    coming |= bits;
    if (is === "running") running |= bits;
  }
  if (unions(now, running).every(allows)) return "run";
  return unions(now, coming).some(allows) ? "wait" : "break";
}

/**
 * Judges whether a call may run now, whatever the calls that run beside it come to.
 *
 * A call that needs the success of another one of its batch waits for it; so does one that breaks the law only if a running one
 * succeeds. `at`: epoch ms.
 */
export function judge(law: Law, state: LawState, call: RuledCall, others: Others, at: number): Judgement {
  if (law.kind === "any") return judgeAny(law, state, call, others, at);
  const { letter } = call;
  if (!isJudged(law, call.name) || letter?.isOther) return "run";
  if (letter?.problem !== undefined) return "break";
  switch (law.kind) {
    case "approved":
      return call.approver !== undefined && law.by.includes(call.approver) ? "run" : "break";
    case "before": {
      if (isRecent(seenAt(state.seen, keyOf(letter)), at, law.within, "for")) return "run";
      const helps = about(law, call, others).some(({ is }) => is !== "stuck");
      return helps ? "wait" : "break";
    }
    case "never": {
      if (state.isLost || isRecent(seenAt(state.seen, keyOf(letter)), at, law.within, "against"))
        return "break";
      const against = about(law, call, others);
      if (against.some(({ is }) => is === "stuck")) return "break";
      return against.some(({ is }) => is === "running") ? "wait" : "run";
    }
    case "limit": {
      const used = usedBy(state, call, at, law) + (letter?.amount ?? 1);
      const against = about(law, call, others);
      const stuck = against.filter(({ is }) => is === "stuck");
      const certain = used + total(stuck);
      if (state.isLost || !(certain <= law.max)) return "break";
      const running = against.filter(
        ({ id, is }) => is === "running" && !stuck.some((each) => each.id === id),
      );
      return certain + total(running) <= law.max ? "run" : "wait";
    }
    case "if":
      return judgeIf(law, state, call, others);
  }
}

/** The letter of one part of a law. */
export const partOf = (letter: Letter | undefined, index: number): Letter | undefined =>
  letter?.problem === undefined ? letter?.of?.[index] : letter;

function judgeAny(
  { of }: Extract<Law, { kind: "any" }>,
  state: LawState,
  call: RuledCall,
  others: Others,
  at: number,
): Judgement {
  let judged: Judgement | undefined;
  for (const [index, part] of of.entries()) {
    if (!isJudged(part, call.name)) continue;
    const mine = { ...call, letter: partOf(call.letter, index) };
    const theirs = () => others().map((other) => ({ ...other, letter: partOf(other.letter, index) }));
    const one = judge(part, state.of?.[index] ?? {}, mine, theirs, at);
    if (one === "run") return one;
    judged = judged === undefined ? one : best(judged, one);
  }
  return judged ?? "run";
}
