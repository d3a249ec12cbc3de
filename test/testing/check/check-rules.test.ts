// The function `checkRules`: what holds, what does not, and questions.
import { checkRules, type Gate } from "agentchart/check";
import {
  anyOf,
  approvedBy,
  atMost,
  before,
  inTurn,
  never,
  onlyIf,
  shadow,
  sum,
  within,
  type Rule,
} from "agentchart/rules";
import { agentTool } from "agentchart/team";
import { scriptedModel } from "agentchart/testing";
import { describe, expect, test } from "vitest";
import { deskOf, listening, tool } from "./desk.ts";

const SOAK = process.env["SOAK"] === "1";
/** What is walked with SOAK=1 takes as long as the machine needs. */
const LIMIT = { timeout: SOAK ? 3_600_000 : 600_000 };
/** Without SOAK=1 one call in an answer; with it two, and a crash, an interrupt or a wait anywhere. */
const CRASHING = { iterations: 1, batch: SOAK ? 2 : 1, disturbances: SOAK ? 1 : 0 } as const;
const HERE = { threads: 0, timeLimitMs: 120_000 } as const;
const NAMES = ["verify", "refund", "look"];

/** Each kind of rule, with bounds in which it can be broken without its guard. */
const RULES: readonly (readonly [string, Rule, object])[] = [
  ["before", before("verify", "refund"), {}],
  ["before per subject", before("verify", "refund", { per: "customer" }), {}],
  ["before with an answer", before("verify", "refund", { answers: true }), {}],
  [
    "before within an hour",
    within("1h", before("verify", "refund")),
    { iterations: 1, batch: 1, disturbances: 1 },
  ],
  ["never after", never("refund").after("verify"), {}],
  ["at most once", atMost(1, "refund"), {}],
  ["at most once per subject", atMost(1, "refund", { per: "order" }), {}],
  ["a sum", sum("refund", ({ cents }) => Number(cents), { max: 500, per: "order" }), {}],
  ["an approval", approvedBy("ana", "refund", ({ cents }) => Number(cents) > 100), {}],
  ["a predicate", onlyIf("refund", ({ cents }) => Number(cents) < 100), {}],
  ["a predicate of the past", onlyIf("refund", (_, done) => done.has("verify"), { knows: ["verify"] }), {}],
  ["one of two", anyOf([before("verify", "refund"), atMost(1, "refund")]), {}],
  ["in one turn", inTurn(before("verify", "refund")), { turns: 2, iterations: 1, batch: 1, disturbances: 0 }],
  ["that asks", before("verify", "refund", { onBreak: "ask" }), { disturbances: 0 }],
  ["that ends the turn", atMost(1, "refund", { onBreak: "end" }), { disturbances: 0 }],
];

describe("a rule", () => {
  test.each(RULES)("holds within bounds, and not without its guard: %s", LIMIT, async (_, rule, more) => {
    const bounds = { iterations: 2, batch: SOAK ? 2 : 1, disturbances: 0, ...HERE, ...more };
    const config = deskOf(NAMES, { rules: [rule] });
    const { result, rules } = await checkRules(config, bounds);
    const [report] = rules;
    expect(report!.bypass).toBeUndefined();
    expect(result).toBe("holds");
    expect(report!.planted).toBeGreaterThan(1);
    const { rules: claims } = await checkRules(deskOf(NAMES, { rules: [shadow(rule)] }), bounds);
    expect(claims[0]).toMatchObject({ kind: "claim", result: "broken" });
    expect(claims[0]!.bypass!.path).toHaveLength(report!.planted!);
    if (!SOAK) return;
    const crashed = await checkRules(config, { ...HERE, ...CRASHING });
    expect(crashed.rules[0]!.bypass).toBeUndefined();
    expect(crashed.rules[0]!.result).not.toBe("unknown");
  });

  test.each([
    ["the limit of an amount", sum("refund", ({ cents }) => Number(cents), { max: 50_000, per: "order" })],
    ["a limit above one", atMost(2, "refund", { per: "order" })],
    ["a rule that asks", before("verify", "refund", { per: "order", onBreak: "ask" })],
  ])("holds with a crash, an interrupt, a shutdown or a message at each step: %s", LIMIT, async (_, rule) => {
    const config = deskOf(NAMES, { rules: [rule] });
    const bounds = { iterations: 2, batch: SOAK ? 2 : 1, disturbances: 1, ...HERE };
    const { rules } = await checkRules(config, bounds);
    expect(rules[0]!.bypass).toBeUndefined();
    expect(rules[0]).toMatchObject({ result: "holds", within: { disturbances: 1, iterations: 2 } });
  });

  test("holds beside an agent inside of a call, which shares it", LIMIT, async () => {
    const inner = { name: "clerk", model: scriptedModel([]), tools: [tool("refund")] };
    const ask = agentTool({ name: "ask_clerk", description: "asks", agent: inner } as never);
    const config = deskOf([], {
      tools: [tool("verify"), tool("refund"), ask] as never,
      rules: [atMost(1, "refund")],
    });
    const all = [
      { iterations: 2, batch: SOAK ? 2 : 1, disturbances: SOAK ? 1 : 0 },
      { iterations: 1, batch: 2, disturbances: 1 },
    ];
    for (const bounds of all) {
      const { result, rules } = await checkRules(config, { ...bounds, ...HERE });
      expect(rules[0]!.bypass).toBeUndefined();
      expect(result).toBe("holds");
    }
  });

  test("that no call can break even without its guard is idle, and never holds", async () => {
    const rules = [atMost(0, "refund"), atMost(2, "refund", { name: "twice" })];
    const report = await checkRules(deskOf(NAMES, { rules }), {
      disturbances: 0,
      iterations: 1,
      batch: 1,
      ...HERE,
    });
    expect(report.rules.map(({ result }) => result)).toEqual(["holds", "idle"]);
    expect(report.result).toBe("idle");
    expect(report.unreachableTools).toEqual(["refund"]);
  });

  test("is told as a story, with what the story assumes", async () => {
    const rule = shadow(sum("refund", ({ cents }) => Number(cents), { max: 500 }));
    const { rules } = await checkRules(deskOf(NAMES, { rules: [rule] }), { disturbances: 0, ...HERE });
    expect(rules[0]!.bypass).toMatchObject({
      message: expect.stringContaining("`refund`"),
      story: [
        "The agent is called with text.",
        "The model asks for refund.",
        "The review says: allow (amount 501).",
      ],
      assumes: [expect.stringContaining("Number(cents)")],
    });
  });
});

describe("a gate of one's own is found wrong", () => {
  const GATES: readonly (readonly [string, Gate, Rule, readonly string[]])[] = [
    ["no gate at all", () => true, before("verify", "refund"), []],
    [
      "one that lets a refund run if the batch asks for a verification too",
      ({ tool: name, batch, results }) =>
        name !== "refund" ||
        batch.includes("verify") ||
        results.some((result) => result.tool === "verify" && result.state === "success"),
      before("verify", "refund"),
      [],
    ],
    [
      "one that reads the history, in which a person can answer for the tool",
      ({ tool: name, results }) =>
        name !== "refund" || results.some((result) => result.tool === "verify" && result.state === "success"),
      before("verify", "refund"),
      ["postActing"],
    ],
    [
      "one that approves each of two deletes of one answer",
      ({ tool: name, results }) =>
        name !== "refund" ||
        !results.some((result) => result.tool === "refund" && result.state === "success"),
      atMost(1, "refund"),
      [],
    ],
  ];

  test.each(GATES)("%s", LIMIT, async (_, gate, rule, points) => {
    const hooks = points.length > 0 ? [listening(...points)] : [];
    const { rules } = await checkRules(deskOf(NAMES, { rules: [shadow(rule)], hooks: hooks as never }), {
      gate,
      disturbances: 0,
      ...HERE,
    });
    expect(rules[0]!.result).toBe("broken");
    expect(rules[0]!.bypass!.path.length).toBeGreaterThan(2);
  });

  test("and one that waits for what really ran is not", LIMIT, async () => {
    const gate: Gate = ({ tool: name }) => name !== "refund";
    const { rules } = await checkRules(deskOf(NAMES, { rules: [shadow(before("verify", "refund"))] }), {
      gate,
      ...CRASHING,
      ...HERE,
    });
    expect(rules[0]).toMatchObject({ kind: "claim", result: "holds" });
  });
});

describe("questions", () => {
  test("can it call a tool without an approval, and end without a tool", LIMIT, async () => {
    const config = deskOf(NAMES, { rules: [approvedBy("ana", "refund")] });
    const { rules } = await checkRules(config, {
      ...HERE,
      iterations: 1,
      disturbances: 0,
      questions: { withoutApproval: ["refund", "look"], endWithout: ["verify"] },
    });
    expect(rules.map(({ rule, result }) => [rule, result])).toEqual([
      ["refund approved by ana", "holds"],
      ["refund never without an approval", "holds"],
      ["look never without an approval", "broken"],
      ["no end without verify", "broken"],
    ]);
    expect(rules.at(-1)!.bypass!.path).toEqual(["call(text)", "callModel: text"]);
  });
});

describe("bad input", () => {
  test("a walk that is not over in time is unknown, and says how far it came", async () => {
    const rules = [before("verify", "refund")];
    const report = await checkRules(deskOf(NAMES, { rules }), {
      ...HERE,
      turns: 3,
      iterations: 4,
      timeLimitMs: 300,
    });
    expect(report.result).toBe("unknown");
    expect(report.rules[0]!.walks.at(-1)).toMatchObject({ isWhole: false });
  });

  test("a time limit in which little or nothing can be walked proves no more than that", async () => {
    const rules = [before("verify", "refund"), atMost(1, "look")];
    const report = await checkRules(deskOf(NAMES, { rules }), { ...HERE, timeLimitMs: 1 });
    expect(report.result).toBe("unknown");
    for (const each of report.rules) {
      expect(each.result).toBe("unknown");
      const hasWhole = each.walks.some(({ isWhole }) => isWhole);
      expect(each.within !== undefined).toBe(hasWhole); // a fast machine may end the first walk
    }
  });

  test.each([
    [
      [before("verify", "refund"), before("refund", "verify")],
      ["refund after verify", "verify after refund"],
    ],
    [
      [before("verify", "refund"), atMost(0, "verify")],
      ["refund after verify", "at most 0 verify"],
    ],
    [
      [before("verify", "refund"), never("refund").after("verify")],
      ["refund after verify", "no refund after verify"],
    ],
    [[before("verify", "refund"), before("verify", "refund")], ["refund after verify"]],
    [[before("verfy", "refund")], ["verfy", "did you mean 'verify'?"]],
  ])("rules that cannot be are refused, and named: %#", async (rules, words) => {
    const refused = checkRules(deskOf(NAMES, { rules }), HERE);
    await expect(refused).rejects.toMatchObject({ code: "config/invalid" });
    for (const word of words) await expect(refused).rejects.toThrow(word);
  });

  let limit = 100;
  test.each([
    ["a clock", onlyIf("refund", () => Date.now() > 0), "Date"],
    ["chance", onlyIf("refund", () => Math.random() > 0.5), "Math.random"],
    ["a variable", onlyIf("refund", ({ cents }) => Number(cents) < limit++), "limit"],
    ["a variable in a text", atMost(1, "refund", { per: ({ id }) => `${String(id)}/${limit}` }), "limit"],
  ])("a rule that reads %s is refused", async (_, rule, name) => {
    const config = deskOf(NAMES, { rules: [rule] });
    await expect(checkRules(config, HERE)).rejects.toMatchObject({
      code: "config/invalid",
      message: expect.stringContaining(`reads '${name}'`),
    });
    const assumed = await checkRules(config, {
      ...HERE,
      assume: [name],
      iterations: 1,
      batch: 1,
      disturbances: 0,
    });
    expect(assumed).toMatchObject({ assumed: [name], result: "holds" });
  });

  test.each([
    [{ turns: 0 }, "turns"],
    [{ timeLimitMs: -1 }, "timeLimitMs"],
    [{ depth: 3 }, "depth"],
    [{ questions: { endWithout: ["verfy"] } }, "did you mean 'verify'?"],
  ])("wrong options are refused: %j", async (options, word) => {
    const config = deskOf(NAMES, { rules: [before("verify", "refund")] });
    await expect(checkRules(config, options as never)).rejects.toMatchObject({
      code: "config/invalid",
      message: expect.stringContaining(word),
    });
  });
});
