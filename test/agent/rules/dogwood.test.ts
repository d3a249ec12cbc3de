// Policies in Dogwood and Cedar become rules that demand the same, or are refused with their place.
import { atMost, before, never, onlyIf, rulesOfDogwood, type Rule } from "agentchart/rules";
import { describe, expect, test } from "vitest";
import fc from "../../support/fast-check.ts";
import { asks, desk, told } from "./desk.ts";

const VERIFY = 'Desk::Action::"verify"::response{ input.id: context.input.id }';
const on = (effect: string, more: string, action = "refund"): string =>
  `${effect} (principal, action == Desk::Action::"${action}", resource)\n${more};`;

/** The demand of rules, without their names. */
const demandOf = (rules: readonly Rule[]) => rules.map(({ data }) => data.law);

describe("a policy", () => {
  test.each<[what: string, text: string, rules: readonly Rule[]]>([
    [
      "that permits after another call",
      on("permit", `when temporal { formerly within 1h ${VERIFY} }`),
      [before("verify", "refund", { per: "id", within: "1h" })],
    ],
    [
      "that forbids unless another call came before",
      on("forbid", `unless temporal { formerly within 30m ${VERIFY} }`),
      [before("verify", "refund", { per: "id", within: "30m" })],
    ],
    [
      "that forbids if another call did not come before",
      on("forbid", `when temporal { !(formerly within 1d ${VERIFY}) }`),
      [before("verify", "refund", { per: "id", within: "1d" })],
    ],
    [
      "that forbids after another call",
      on(
        "forbid",
        'when temporal { formerly within 24h Desk::Action::"read_secret"::response{ callerPrincipal: principal } }',
      ),
      [never("refund").after("read_secret", { within: "24h" })],
    ],
    [
      "that permits so many calls",
      on(
        "permit",
        'when temporal { exists (n: Long). ((count_within(1h, Desk::Action::"refund"::response{ input.id: context.input.id })) == n && n < 3) }',
      ),
      [atMost(3, "refund", { per: "id", within: "1h" })],
    ],
    [
      "that forbids more than so many, counted over time points",
      on(
        "forbid",
        'when temporal { exists (n: Long). ((count for (t: Timepoint). where (formerly within 1h (Desk::Action::"refund"::response{ input.id: _ } && tp(t)))) == n && n > 3) }',
      ),
      [atMost(4, "refund", { within: "1h" })],
    ],
    ["that forbids all of it", on("forbid", ""), [atMost(0, "refund")]],
    ["that permits all of it", on("permit", ""), []],
    [
      "about arguments",
      on("permit", 'when { context.input.cents <= 100 && context.input.kind == "small" }'),
      [onlyIf("refund", () => true)],
    ],
    [
      "about several actions, of every resource",
      'forbid (principal, action in [A::"x", A::"y"], resource == G::"g") when temporal { formerly within 1h A::"z"::response{} };',
      [never(["x", "y"]).after("z", { within: "1h" })],
    ],
  ])("%s", (_, text, rules) => {
    expect(demandOf(rulesOfDogwood(text))).toEqual(demandOf(rules));
  });

  test("names its rule, tells the model why, and lets go what another permit allows", () => {
    const [rule] = rulesOfDogwood(
      `@id("verify first") @description("Verify the customer first.") // a note\n${on("forbid", `unless temporal { formerly within 1h ${VERIFY} }`)}`,
    );
    expect(rule!.data).toMatchObject({ name: "verify first", says: "Verify the customer first." });
    expect(
      rulesOfDogwood(`${on("permit", `when temporal { formerly within 1h ${VERIFY} }`)}${on("permit", "")}`),
    ).toEqual([]);
    const [either] = rulesOfDogwood(
      `${on("permit", `when temporal { formerly within 1h ${VERIFY} }`)}${on("permit", "when { context.input.cents < 5 }")}`,
    );
    expect(either!.data.law.kind).toBe("any");
  });

  test("gives a rule another id with each other condition and each other subject", () => {
    const texts = ["context.input.cents < 5", "context.input.cents < 6", "context.input.amount < 5"].map(
      (condition) => on("permit", `when { ${condition} }`),
    );
    const more = ["id", "order", "a.b"].map((name) =>
      on(
        "permit",
        `when temporal { formerly within 1h Desk::Action::"verify"::response{ input.${name}: context.input.${name} } }`,
      ),
    );
    const ids = [...texts, ...more].map((text) => rulesOfDogwood(text)[0]!.data.id);
    expect(new Set(ids).size).toBe(6);
    expect(before("a", "b", { per: "id" }).data.id).not.toBe(before("a", "b", { per: "order" }).data.id);
  });

  test("is enforced as it says", async () => {
    const rules = rulesOfDogwood(
      [
        on(
          "forbid",
          'unless temporal { formerly within 1h Desk::Action::"verify"::response{ input.customer: context.input.id } }',
        ),
        on("forbid", "when { context.input.cents > 100 || !context.input.isReal }"),
      ].join("\n"),
    );
    const { agent, ledger } = desk(
      [
        asks(["refund", { id: 1, cents: 5, isReal: true }]),
        asks(["verify", { customer: 1 }]),
        asks(
          ["refund", { id: 1, cents: 5, isReal: true }],
          ["refund", { id: 2, cents: 5, isReal: true }],
          ["refund", { id: 1, cents: 500, isReal: true }],
          ["refund", { id: 1, cents: 5, isReal: false }],
          ["refund", { id: 1, cents: "5", isReal: true }],
        ),
        "ok",
      ],
      { rules },
    );
    await agent.call("go");
    expect(ledger).toEqual(["verify", "refund 1"]);
    expect((await told(agent)).map((line) => line.split(":")[1])).toEqual([
      " denied",
      " success",
      " success",
      " denied",
      " denied",
      " denied",
      " denied",
    ]);
  });

  test("reads names of actions as its user says, and asked calls as those that ran", () => {
    const text = on(
      "permit",
      'when temporal { formerly within 1h Desk::Action::"verify"::request{} }',
      "Api___refund",
    );
    expect(() => rulesOfDogwood(text)).toThrow("`::request` is not read");
    const [rule] = rulesOfDogwood(text, { requests: "ran", tool: (action) => action.replace("Api___", "") });
    expect(rule!.data.law).toMatchObject({ first: ["verify"], then: ["refund"] });
  });
});

describe("a policy that rules cannot say", () => {
  const past = (text: string): string => on("permit", `when temporal { ${text} }`);
  test.each<[text: string, says: string]>([
    ["allow (principal);", "f:1:1: expected permit or forbid, found allow"],
    ['permit (principal == User::"eve", action, resource);', "f:1:9: who asks is not known to rules"],
    ["permit (principal, action, resource)", "expected ';', found the end"],
    ["permit (principal, action, thing);", "expected principal, action or resource, found thing"],
    [
      on("permit", "when { principal.dept == 1 }"),
      "f:2:8: expected an argument such as context.input.amount, found principal.dept",
    ],
    [on("permit", 'when { context.input.a < "x" }'), "expected a number after <"],
    [on("permit", "when guardrails { true }"), "guardrails are not read"],
    [past(`previous within 1h ${VERIFY}`), "expected `formerly within …`, or a count"],
    [past('formerly within soon X::"a"::response{}'), "expected a window such as 30m"],
    [
      past('formerly within 1h X::"a"::response{ output.ok: true }'),
      "output.ok is not read: rules read arguments, and not results",
    ],
    [
      past('formerly within 1h X::"a"::response{ input.user: u }'),
      "expected a text, a number, true or false, found u",
    ],
    [
      past('exists (n: Long). ((sum a for (a: Long). where A::"x"::response{}) == n && n < 3)'),
      "expected a count: a sum leaves the call that is judged out",
    ],
    [
      past('exists (n: Long). ((count_within(1h, A::"other"::response{})) == n && n < 3)'),
      "rules limit what they count",
    ],
    [
      past('exists (n: Long). ((count_within(1h, Desk::Action::"refund"::response{})) == n && n > 3)'),
      "a count is read as an upper bound",
    ],
    [
      on("forbid", `when temporal { formerly within 1h ${VERIFY} && formerly within 1h ${VERIFY} }`),
      "a forbid with several conditions about the past",
    ],
    [
      on("forbid", `unless temporal { formerly within 1h ${VERIFY} && formerly within 1h ${VERIFY} }`),
      "one condition in `unless temporal`",
    ],
    [
      `${past(`formerly within 1h ${VERIFY} && formerly within 2h ${VERIFY}`)}${past(`formerly within 3h ${VERIFY}`)}`,
      "one of several permits",
    ],
    ["permit (principal) when { § };", "f:1:27: unexpected '§'"],
    [`permit (action) when { ${"(".repeat(5_000)} };`, "expected at most 200 levels"],
  ])("is refused with its place: row %#", (text, says) => {
    expect(() => rulesOfDogwood(text, { from: "f" })).toThrow(
      expect.objectContaining({ code: "config/invalid", message: expect.stringContaining(says) }),
    );
  });

  test("is refused with a typed error whatever its text is", () => {
    const parts = [
      "permit",
      "forbid",
      "(",
      ")",
      "{",
      "}",
      "principal",
      "action",
      "==",
      'A::"x"',
      "::response",
      "when",
      "unless",
      "temporal",
      "formerly",
      "within",
      "1h",
      "!",
      "&&",
      "exists",
      ";",
      ":",
      ".",
      "@id",
      '"',
      "context.input.a",
      "7",
    ];
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...parts), fc.string()), { maxLength: 30 }), (words) => {
        try {
          rulesOfDogwood(words.join(" "));
        } catch (error) {
          expect(error).toMatchObject({ code: "config/invalid" });
        }
      }),
      { numRuns: process.env["SOAK"] === "1" ? 100_000 : 500 },
    );
  });
});
