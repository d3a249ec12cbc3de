// Judges of runs, on planted good and bad runs.
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Json, JsonObject } from "agentchart";
import {
  asked,
  atMost,
  by,
  evaluate,
  notSuspicious,
  obeys,
  path,
  reply,
  used,
  usedInOrder,
  type EvalCase,
  type Judge,
} from "agentchart/evals";
import { before } from "agentchart/rules";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { toolOf } from "../../support/agents.ts";

type Play = {
  readonly turns: readonly ScriptedTurn[];
  readonly expected?: EvalCase["expected"];
  readonly decision?: "approve" | "deny";
};

const calls = (...names: readonly string[]): ScriptedTurn => ({
  calls: names.map((name, place) => ({ name, input: { place } })),
});

/** Runs an agent with two tools, of which `refund` asks, and says what a judge makes of it. */
async function verdictOf(judge: Judge, { turns, expected, decision = "approve" }: Play) {
  const { results } = await evaluate("judged", {
    agent: () => ({
      name: "desk",
      model: scriptedModel([...turns]),
      tools: [toolOf("verify", () => "yes"), { ...toolOf("refund", () => "paid"), permission: "ask" }],
      maxIters: 3,
    }),
    cases: [{ name: "one", input: "Go.", ...(expected !== undefined && { expected }) }],
    judge,
    decide: () => decision,
  });
  return results[0]!;
}

const VERIFIED: Play = { turns: [calls("verify"), calls("refund"), "Paid 1,250.50 to Ada."] };
const UNVERIFIED: Play = { turns: [calls("refund"), "Paid 7."] };
const DENIED: Play = { turns: [calls("refund"), "It was denied."], decision: "deny" };
const TALK: Play = { turns: ["Nothing to do."] };
const LOOPS: Play = { turns: [calls("verify"), calls("verify"), calls("verify"), "I give up."] };

/** Each judge with runs that it passes, and planted runs that it must not pass. */
const JUDGES: { readonly [title: string]: readonly [Judge, readonly Play[], readonly Play[]] } = {
  "the whole reply": [reply.equals("Nothing to do."), [TALK], [DENIED, VERIFIED]],
  "the reply that the case expects": [
    reply.equals(),
    [{ ...TALK, expected: "Nothing to do." }],
    [{ ...TALK, expected: "Nothing" }],
  ],
  "a part of the reply": [reply.contains("ADA"), [VERIFIED], [TALK, DENIED]],
  "a pattern, with the state of its regular expression left alone": [
    reply.matches(/paid \d/gi),
    [VERIFIED, UNVERIFIED],
    [TALK],
  ],
  "a number": [reply.isNumber(1_250.5), [VERIFIED], [UNVERIFIED, TALK]],
  "a number with a tolerance": [reply.isNumber(1_250, 0.5), [VERIFIED], [UNVERIFIED]],
  "a number that the case expects": [
    reply.isNumber(),
    [{ ...UNVERIFIED, expected: 7 }],
    [{ ...UNVERIFIED, expected: 8 }],
  ],
  "a tool that ran": [used("refund"), [VERIFIED, UNVERIFIED], [DENIED, TALK]],
  "a tool that was asked for": [asked("refund"), [VERIFIED, DENIED], [TALK]],
  "a tool that never ran": [used("refund").never(), [DENIED, TALK], [VERIFIED]],
  "a tool with arguments": [used("refund", { place: 0 }), [VERIFIED], [TALK]],
  "a tool with other arguments": [used("refund", { place: 1 }).never(), [VERIFIED], []],
  "how often a tool ran": [used("verify").times(3), [LOOPS], [VERIFIED]],
  "at most so often": [used("verify").atMost(1), [VERIFIED, TALK], [LOOPS]],
  "at least so often": [used("verify").atLeast(2), [LOOPS], [VERIFIED]],
  "one tool before another": [used("verify").before(used("refund")), [VERIFIED, TALK, DENIED], [UNVERIFIED]],
  "tools in an order": [usedInOrder("verify", "refund"), [VERIFIED], [UNVERIFIED, LOOPS]],
  "a person before a tool": [path.visits("suspended.waiting").before(used("refund")), [VERIFIED, DENIED], []],
  "a tool before a person": [
    used("verify").before(path.visits("suspended.waiting")),
    [VERIFIED],
    [UNVERIFIED],
  ],
  "a state that is visited": [path.visits("suspended.waiting"), [DENIED], [TALK]],
  "a state that is never visited": [path.visits("summarizing").never(), [VERIFIED], [LOOPS]],
  "a state that is visited so often": [path.visits("reasoning.calling").times(3), [VERIFIED], [TALK]],
  "an edge": [path.takes("agent.reasoning.").atLeast(1), [TALK], []],
  "the number of calls": [atMost({ toolCalls: 1, modelCalls: 2 }), [UNVERIFIED, TALK], [LOOPS]],
  tokens: [atMost({ tokens: 60 }), [TALK], [LOOPS]],
  "a cost that nobody knows": [atMost({ cost: 1_000_000 }), [], [TALK]],
  "what is odd": [notSuspicious("loop", "repeated-call"), [VERIFIED, TALK], [LOOPS]],
  "a function": [by("is short", ({ text }) => text.length < 15), [UNVERIFIED], [VERIFIED]],
};

describe.each(Object.entries(JUDGES))("a judge of %s", (_, [judge, right, wrong]) => {
  test.each([
    ...right.map((play) => ["passed", play] as const),
    ...wrong.map((play) => ["failed", play] as const),
  ])("says that it %s: %j", async (state, play) => {
    const result = await verdictOf(judge, play);
    expect(result).toMatchObject({ state, verdicts: [{ pass: state === "passed" }] });
    expect(result.verdicts[0]!.reason).toMatch(/\.$/);
  });
});

test("there are thirty planted runs or more", () => {
  const planted = Object.values(JUDGES).flatMap(([, , wrong]) => wrong);
  expect(planted.length).toBeGreaterThanOrEqual(30);
});

test("a structured answer is compared with the fields that are wanted", async () => {
  const response = { kind: "refund", of: { cents: 5, currency: "EUR" } };
  const passes = async (fields: JsonObject | undefined, expected?: Json) => {
    const { results } = await evaluate("answers", {
      agent: () => ({
        name: "desk",
        model: scriptedModel([{ calls: [{ name: "generate_response", input: { response } }] }]),
      }),
      output: z.object({ kind: z.string(), of: z.object({ cents: z.number(), currency: z.string() }) }),
      cases: [{ name: "one", input: "Go.", ...(expected !== undefined && { expected }) }],
      judge: reply.hasOutput(fields),
    });
    return results[0]!.state;
  };
  expect(await passes({ of: { cents: 5 } })).toBe("passed");
  expect(await passes({ of: { cents: 6 } })).toBe("failed");
  expect(await passes({ nothing: 1 })).toBe("failed");
  expect(await passes(undefined, response)).toBe("passed");
  expect(await passes(undefined, { kind: "answer" })).toBe("failed");
  expect(await passes(undefined)).toBe("error");
});

// Of what cannot happen a judge such as `never()` would say for ever that it did not.
test.each<[what: string, make: () => unknown, words: string]>([
  ["a state that the chart does not have", () => path.visits("suspnded"), "no state 'suspnded'"],
  ["no state", () => path.visits(""), "no state ''"],
  [
    "an edge that the chart does not have",
    () => path.takes("agent.acting.reviewed"),
    "no edge whose id begins with",
  ],
  ["no edge", () => path.takes(""), "no edge whose id begins with"],
  [
    "a suspicion that there is not",
    () => notSuspicious("loop", "lop"),
    "no suspicion 'lop'; there are repeated-call, loop,",
  ],
  ["a tool without a name", () => used(""), "the name of a tool"],
  ["a call of a tool without a name", () => asked(""), "the name of a tool"],
  ["an order of no tools", () => usedInOrder(), "expected the names of tools"],
  ["an order with a tool without a name", () => usedInOrder("verify", ""), "the name of a tool"],
])("%s is refused at once", (_, make, words) => {
  expect(make).toThrow(
    expect.objectContaining({ code: "config/invalid", message: expect.stringContaining(words) }),
  );
});

test("a judge that throws makes the run an error, not a failure", async () => {
  const broken = by("breaks", () => {
    throw new Error("I cannot judge.");
  });
  const result = await verdictOf(broken, TALK);
  expect(result).toMatchObject({
    state: "error",
    error: { message: "The judge 'breaks' failed: I cannot judge." },
  });
  expect((await verdictOf(reply.equals(), TALK)).error!.message).toContain("no `expected` text");
  expect(
    (
      await verdictOf(
        by("says nothing", () => undefined as never),
        TALK,
      )
    ).state,
  ).toBe("error");
});

test("counts, limits and texts that no run can fulfil or fail are refused", async () => {
  expect(() => used("refund").times(Number.NaN)).toThrow(/integer from 0 on/);
  expect(() => used("refund").atMost(-1)).toThrow(/integer from 0 on/);
  expect(() => atMost({ tokens: Number.NaN })).toThrow(/`tokens` is NaN/);
  expect(() => atMost({ tokenz: 5 } as never)).toThrow(/did you mean `tokens`/);
  expect(() => atMost({})).toThrow(/at least one limit/);
  expect(() => reply.isNumber(1, Number.NaN)).toThrow(/`within`/);
  for (const judge of [reply.contains(""), reply.contains(), reply.isNumber()])
    expect(await verdictOf(judge, { ...TALK, expected: "" })).toMatchObject({ state: "error" });
});

test("a judge of rules reads what ran, and refuses what is not a rule", async () => {
  const judge = obeys(before("verify", "refund"));
  expect(await verdictOf(judge, VERIFIED)).toMatchObject({ state: "passed" });
  expect(await verdictOf(judge, DENIED)).toMatchObject({ state: "passed" });
  const broken = await verdictOf(judge, UNVERIFIED);
  expect(broken).toMatchObject({ state: "failed" });
  expect(broken.verdicts[0]!.reason).toContain("refund breaks:");
  expect(() => obeys({} as never)).toThrow("expected rules");
  expect(() => obeys()).toThrow("expected rules");
});

test.each([
  ["It is \u22125.", -5],
  ["Pages 10-12", 12],
  ["between 3 and -4", -4],
  ["options 1,2,3", 3],
  ["1,234,567.5 in all", 1_234_567.5],
  ["about .5", 0.5],
  ["1e3", 1_000],
])("the last number of %j is %d", async (text, number) => {
  const run = { text, case: { name: "a" } } as never;
  expect(await reply.isNumber(number).judge(run, {} as never)).toMatchObject({ pass: true });
});
