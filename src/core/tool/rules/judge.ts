import {
  isCounted,
  isJudged,
  type Law,
  type LawState,
  type Letter,
  type OtherCall,
  type RuledCall,
} from "./law.ts";
import { summaryOf, usesOf } from "./uses.ts";

/** The judgement of a call: it may run, it may once others of its batch have come to something, or it breaks the law. */
export type Judgement = "run" | "wait" | "break";

/** Of two judgements, the stricter. */
const ORDER: readonly Judgement[] = ["run", "wait", "break"];
const worst = (one: Judgement, other: Judgement): Judgement =>
  ORDER.indexOf(one) > ORDER.indexOf(other) ? one : other;
const best = (one: Judgement, other: Judgement): Judgement =>
  ORDER.indexOf(one) < ORDER.indexOf(other) ? one : other;

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
  const calls = usesOf(used, keyOf(letter));
  const { amount: all, oldest } = summaryOf(calls);
  const isAll = within === undefined || isRecent(oldest, at, within, "against");
  if (isAll && !calls.some(([id]) => id === self)) return all;
  let sum = 0;
  for (const [id, then, amount] of calls)
    if (id !== self && isRecent(then, at, within, "against")) sum += amount;
  return sum;
}

const total = (calls: readonly OtherCall[]): number =>
  calls.reduce(
    (sum, { letter }) => sum + (letter?.problem === undefined ? (letter?.amount ?? 1) : Infinity),
    0,
  );

/** The bits of the tools that have succeeded. */
function bitsOf(knows: readonly string[], has: (name: string) => boolean): number {
  return knows.reduce((bits, name, index) => (has(name) ? bits | (1 << index) : bits), 0);
}

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
  const allows = (bits: number): boolean => (table & (1 << bits)) !== 0;
  const now = bitsOf(law.knows, (name) => state.seen?.[name] !== undefined);
  const others = othersOf();
  const of = (is: OtherCall["is"][]): number =>
    bitsOf(law.knows, (known) =>
      others.some((other) => is.includes(other.is) && isCounted({ ...law, knows: [known] }, other.name)),
    );
  const running = unions(now, of(["running"]));
  if (running.every(allows)) return "run";
  return unions(now, of(["running", "next"])).some(allows) ? "wait" : "break";
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
      if (isRecent(state.seen?.[keyOf(letter)], at, law.within, "for")) return "run";
      const helps = about(law, call, others).some(({ is }) => is !== "stuck");
      return helps ? "wait" : "break";
    }
    case "never": {
      if (state.isLost || isRecent(state.seen?.[keyOf(letter)], at, law.within, "against")) return "break";
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
  const judged = of.flatMap((part, index) => {
    if (!isJudged(part, call.name)) return [];
    const mine = { ...call, letter: partOf(call.letter, index) };
    const theirs = () => others().map((other) => ({ ...other, letter: partOf(other.letter, index) }));
    return [judge(part, state.of?.[index] ?? {}, mine, theirs, at)];
  });
  return judged.reduce(best, judged.length > 0 ? "break" : "run");
}

/** The judgement of several laws together. */
export const together = (judgements: readonly Judgement[]): Judgement => judgements.reduce(worst, "run");
