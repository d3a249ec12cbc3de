// What rules remember of a subject is its own. A limit is judged by what it remembers in parts and without a look at most calls: it judges as a plain sum over all of them does.
import { expect, test } from "vitest";
import { dueCalls } from "../../../machines/agent/updates/acting.ts";
import { idOfCall } from "../../../machines/agent/updates/rule-batch.ts";
import { judge, usedBy } from "../../../src/core/tool/rules/judge.ts";
import { MAX_REMEMBERED, type LawState, type RuledCall } from "../../../src/core/tool/rules/law.ts";
import { usesOf } from "../../../src/core/tool/rules/uses.ts";
import { join, step } from "../../../src/core/tool/rules/step.ts";
import { before, sum } from "../../../src/kit/rules/build.ts";
import fc from "../../support/fast-check.ts";
import { asking, contextOf } from "./at.ts";
import { RULED } from "./ruled.ts";

const WINDOW_MS = 100;
const { data: rule } = sum("act", () => 1, { max: 20, per: "key", within: `${WINDOW_MS}ms`, name: "limit" });
const law = rule.law as Extract<typeof rule.law, { kind: "limit" }>;

const key = fc.constantFrom<string>("a", "b", "constructor");
const use = fc.record({
  key,
  id: fc.integer({ min: 0, max: 60 }).map(String),
  at: fc.integer({ min: 0, max: 300 }),
  amount: fc.integer({ min: 0, max: 5 }),
});
type Use = typeof use extends fc.Arbitrary<infer U> ? U : never;

const ruled = ({ id, key: about, amount }: Omit<Use, "at">): RuledCall => ({
  id,
  name: "act",
  letter: { key: about, amount },
});
const stateAfter = (uses: readonly Use[]): LawState =>
  uses.reduce<LawState>((state, each) => step(law, state, ruled(each), "success", each.at), {});
/** What is remembered by the id of each call, as 0.1.0 has stored it. */
const byCall = (uses: readonly Use[]): LawState => {
  const used: { [key: string]: { [call: string]: readonly [number, number] } } = {};
  for (const { key: about, id, at, amount } of uses) {
    if (!Object.hasOwn(used, about)) used[about] = {};
    used[about]![id] = [at, amount];
  }
  return { used };
};
const KEYS = ["a", "b", "constructor"];
const inOrder = ({ used }: LawState): readonly unknown[] =>
  KEYS.map((about) => usesOf(used, about).toSorted(([one], [other]) => Number(one) - Number(other)));

test("a limit remembers each call once, in the form of today and of 0.1.0, joined in any order", () => {
  fc.assert(
    fc.property(fc.array(use, { maxLength: 120 }), fc.nat(120), (uses, cut) => {
      const all = stateAfter(uses);
      const [first, then] = [uses.slice(0, cut), uses.slice(cut)];
      expect(inOrder(all)).toEqual(inOrder(byCall(uses)));
      expect(inOrder(join(stateAfter(first), stateAfter(then)))).toEqual(inOrder(all));
      expect(inOrder(join(byCall(first), stateAfter(then)))).toEqual(inOrder(all));
      const old = then.reduce(
        (state, each) => step(law, state, ruled(each), "success", each.at),
        byCall(first),
      );
      expect(inOrder(old)).toEqual(inOrder(all));
      for (const about of KEYS) {
        const self = ruled({ id: "7", key: about, amount: 1 });
        const counted = usesOf(byCall(uses).used, about).filter(
          ([id, at]) => id !== "7" && (at > 250 || 250 - at <= WINDOW_MS),
        );
        const expected = counted.reduce((sum, [, , amount]) => sum + amount, 0);
        expect(usedBy(all, self, 250, law)).toBe(expected);
        expect(usedBy(byCall(uses), self, 250, law)).toBe(expected);
      }
    }),
  );
});

test("a limit within a time forgets the subjects of which nothing counts any more", () => {
  const uses = Array.from({ length: 2 * MAX_REMEMBERED }, (_, at) => ({
    key: `${at}`,
    id: `${at}`,
    at,
    amount: 1,
  }));
  const { used } = stateAfter(uses);
  expect(Object.keys(used!).length).toBeLessThanOrEqual(MAX_REMEMBERED);
  expect(usesOf(used, uses.at(-1)!.key)).toHaveLength(1);
});

test.each(["constructor", "toString", "__proto__", "hasOwnProperty"])(
  "a subject with the name %s has succeeded only if it has",
  (about) => {
    const { data } = before("verify", "act", { per: "key" });
    const call = (name: string, subject: string): RuledCall => ({ id: "1", name, letter: { key: subject } });
    const judged = (state: LawState) => judge(data.law, state, call("act", about), () => [], 250);
    const heard = (state: LawState, subject: string) =>
      step(data.law, state, call("verify", subject), "success", 200);
    const other = heard({}, "a");
    expect(judged(other)).toBe("break");
    expect(judged(join(other, heard({}, "b")))).toBe("break");
    const stored = JSON.parse(JSON.stringify(heard(other, about))) as LawState;
    expect(judged(stored)).toBe("run");
    expect(judged(join(other, heard({}, about)))).toBe("run");
  },
);

const call = fc.record({
  status: fc.constantFrom("approved", "running", "pending", "unknown", "done" as const),
  key,
  amount: fc.integer({ min: 0, max: 9 }),
  isUnread: fc.nat(15).map((chance) => chance === 0),
  isUnknown: fc.nat(3).map((chance) => chance === 0),
});

test("calls start as a judgement over all others of the batch says", () => {
  fc.assert(
    fc.property(
      fc.array(call, { minLength: 1, maxLength: 6 }),
      fc.array(use, { maxLength: 10 }),
      (calls, uses) => {
        const state = { id: rule.id, ...stateAfter(uses) };
        const records = calls.map(({ status, key: about, amount, isUnread, isUnknown }) => ({
          status,
          rules: {
            letters: { limit: isUnread ? { problem: "unread" } : { key: about, amount } },
            ...(isUnknown && { isUnknown: true as const }),
          },
        }));
        const given = asking(records, {
          settings: { ...RULED.settings, rules: [rule] },
          progress: { rules: { limit: state } },
        });
        const context = contextOf({
          ...given,
          calls: given.calls!.map((record) => ({ ...record, call: { ...record.call, name: "act" } })),
        });
        const starting = new Set<number>();
        context.calls.forEach((record, place) => {
          if (record.status !== "approved") return;
          const others = context.calls.flatMap((other, at) => {
            if (other.result) return [];
            const id = idOfCall(context, at);
            const letter = other.rules!.letters!["limit"];
            const earlier = other.rules?.isUnknown
              ? [{ id: `${id}?`, name: "act", letter, is: "stuck" as const }]
              : [];
            if (at === place) return earlier;
            const isRunning = other.status === "running" || starting.has(at);
            const is = isRunning ? "running" : other.status === "unknown" ? "stuck" : "next";
            return [...earlier, { id, name: "act", letter, is } as const];
          });
          const self = { id: idOfCall(context, place), name: "act", letter: record.rules!.letters!["limit"] };
          if (judge(law, state, self, () => others, context.at) === "run") starting.add(place);
        });
        const due = dueCalls({ ...context, settings: { ...context.settings, parallel: 0 } });
        expect([...due].map((record) => context.calls.indexOf(record))).toEqual([...starting]);
      },
    ),
  );
});
