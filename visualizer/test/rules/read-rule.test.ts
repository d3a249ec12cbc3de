// The form of a rule that is tried: what it says, and what is wrong with it.
import { describe, expect, test } from "vitest";
import { readTriedRule } from "../../../src/inspect/hub/try-rule.ts";
import { localTime } from "../../src/logic/format.ts";
import { EMPTY, readRule, type RuleFields } from "../../src/rules/read-rule.ts";
import { ruleMarks, ruleRows } from "../../src/rules/rule-rows.ts";

describe("the form of a rule", () => {
  test.each<[fields: Partial<RuleFields>, rule: object]>([
    [
      { first: "verify", then: "refund" },
      { kind: "before", first: ["verify"], then: ["refund"], scope: "session" },
    ],
    [
      { kind: "never", first: "read_secret, read_mail", then: "send_*", within: "30m", scope: "turn" },
      {
        kind: "never",
        first: ["read_secret", "read_mail"],
        then: ["send_*"],
        withinMs: 1_800_000,
        scope: "turn",
      },
    ],
    [
      { kind: "atMost", then: "payout", max: "0", per: " id " },
      { kind: "atMost", then: ["payout"], max: 0, per: "id", scope: "session" },
    ],
    [
      { kind: "sum", then: "refund", max: "500", amount: "cents", within: "1.5h" },
      { kind: "sum", then: ["refund"], max: 500, amount: "cents", withinMs: 5_400_000, scope: "session" },
    ],
    [
      { kind: "approvedBy", then: "wire", people: "ana ben", per: "x" },
      { kind: "approvedBy", then: ["wire"], people: ["ana", "ben"], scope: "session" },
    ],
  ])("reads %j as a rule that the server reads too", (fields, rule) => {
    const read = readRule({ ...EMPTY, ...fields });
    expect(read).toEqual(rule);
    expect(readTriedRule(JSON.stringify(read))).toEqual(rule);
  });

  test.each<[fields: Partial<RuleFields>, says: string]>([
    [{}, "Say which tool the rule is about."],
    [{ then: "refund" }, "Say which tool comes before."],
    [{ kind: "atMost", then: "refund", max: "" }, "Give a number of at least 0."],
    [{ kind: "atMost", then: "refund", max: "-1" }, "Give a number of at least 0."],
    [{ kind: "sum", then: "refund", max: "2" }, "Say which argument is summed up."],
    [{ kind: "approvedBy", then: "refund" }, "Say who approves."],
    [{ first: "a", then: "b", within: "soon" }, "Give a time such as 30m, 24h or 7d."],
  ])("says of %j what is missing", (fields, says) => {
    expect(readRule({ ...EMPTY, ...fields })).toBe(says);
  });
});

test.each<[text: string | undefined, says: string]>([
  [undefined, "must be a rule as JSON"],
  ["{", "is not JSON"],
  ["[]", "must be an object"],
  ['{"kind":"always","then":["a"],"scope":"session"}', "kind"],
  ['{"kind":"atMost","then":"a","scope":"session"}', "then"],
  ['{"kind":"atMost","then":["a"],"scope":"session","code":"x"}', "code"],
  [`{"kind":"${"x".repeat(5_000)}"}`, "at most 4000 characters"],
])("the server refuses the rule %s", (text, says) => {
  expect(readTriedRule(text)).toEqual(expect.stringContaining(says));
});

test("what rules remember is read from anything that a file may hold", () => {
  const state = {
    seen: { 17: 0 },
    used: { a: { c1: [0, 2], c2: [0, 3] }, b: [["c3", 0, 4]] },
    isLost: true,
    of: [{ seen: { "": 0 } }],
  };
  expect(ruleRows({ progress: { rules: { r: state, n: null } } })).toEqual([
    {
      name: "r",
      lines: [
        `a success about 17, ${localTime(0)}`,
        "2 calls about a, 5 in all",
        "1 call about b, 4 in all",
        `part 1: a success, ${localTime(0)}`,
        "something that counts may have happened without a trace",
      ],
    },
    { name: "n", lines: [] },
  ]);
  for (const value of [null, 1, "x", [], [null], {}]) {
    ruleRows({ progress: { rules: { r: { seen: value, used: { a: value }, of: value } } } } as never);
    expect(ruleMarks({ calls: value, messages: value } as never)).toEqual([]);
  }
});
