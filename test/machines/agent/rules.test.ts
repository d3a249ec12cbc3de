// A limit is judged by what it remembers in parts and without a look at most calls: it judges as a plain sum over all of them does.
import { expect, test } from "vitest";
import { dueCalls } from "../../../machines/agent/updates/acting.ts";
import { idOfCall } from "../../../machines/agent/updates/rule-batch.ts";
import { judge, usedBy } from "../../../src/core/tool/rules/judge.ts";
import { joinUsed, usedOf, type LawState, type RuledCall } from "../../../src/core/tool/rules/law.ts";
import { join, step } from "../../../src/core/tool/rules/step.ts";
import { sum } from "../../../src/kit/rules/build.ts";
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
/** What is remembered if all of it is kept in one place. */
const plain = (uses: readonly Use[]): LawState =>
  uses.reduce<LawState>(
    ({ used }, each) => ({ used: joinUsed(used, { [each.key]: { [each.id]: [each.at, each.amount] } })! }),
    {},
  );

test("a limit remembers the same in parts as in one place, joined in any order", () => {
  fc.assert(
    fc.property(fc.array(use, { maxLength: 120 }), fc.nat(120), (uses, cut) => {
      const all = stateAfter(uses);
      expect(usedOf(all) ?? {}).toEqual(plain(uses).used ?? {});
      const [one, other] = [stateAfter(uses.slice(0, cut)), stateAfter(uses.slice(cut))];
      expect(usedOf(join(one, other)) ?? {}).toEqual(plain(uses).used ?? {});
      for (const about of ["a", "b", "constructor"])
        expect(usedBy(all, ruled({ id: "7", key: about, amount: 1 }), 250, law)).toBe(
          usedBy(plain(uses), ruled({ id: "7", key: about, amount: 1 }), 250, law),
        );
    }),
  );
});

const call = fc.record({
  status: fc.constantFrom("approved", "running", "pending", "unknown", "done" as const),
  key,
  amount: fc.integer({ min: -3, max: 9 }),
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
