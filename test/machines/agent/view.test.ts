// Any view of any transcript is a valid prompt.
import fc from "../../support/fast-check.ts";
import { expect, test } from "vitest";
import { Transcript, sizeOfContent, sizeOfMessage } from "../../../src/core/message/transcript.ts";
import type { Msg } from "../../../src/core/message/types.ts";
import { toolResultsOf } from "../../../src/core/message/msg.ts";
import {
  ALL_WHOLE,
  cutOf,
  hasOffloaded,
  headOf,
  lengthOfView,
  sizeOfView,
  viewOf,
  WHOLE,
  type Cut,
  type Omitted,
  type ResultLimits,
  type View,
} from "../../../machines/agent/prompt/view.ts";
import { message, text, toolResult, toolUse } from "../../../src/testing/explorer/messages.ts";
import { historyProblem } from "../../support/history.ts";

/** What is said in a step: something by somebody, or calls with their results, each in a message of its own or all in one. */
type Step =
  | { readonly role: "user" | "assistant"; readonly length: number }
  | { readonly calls: number; readonly length: number; readonly isOne: boolean };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ role: fc.constantFrom("user", "assistant"), length: fc.nat(400) }),
  fc.record({ calls: fc.integer({ min: 1, max: 4 }), length: fc.nat(9_000), isOne: fc.boolean() }),
);

function messagesOf(steps: readonly Step[]): readonly Msg[] {
  return steps.flatMap((each, at): readonly Msg[] => {
    if ("role" in each) return [message(`m${at}`, each.role, [text("x".repeat(each.length))])];
    const ids = Array.from({ length: each.calls }, (_, index) => `c${at}.${index}`);
    const results = ids.map((id) => toolResult(id, "y".repeat(each.length)));
    const answers = each.isOne
      ? [message(`r${at}`, "tool", results)]
      : results.map((result, index) => message(`r${at}.${index}`, "tool", [result]));
    return [message(`a${at}`, "assistant", ids.map(toolUse)), ...answers];
  });
}

const limits: fc.Arbitrary<ResultLimits> = fc.record({
  maxTokens: fc.option(fc.integer({ min: 1, max: 2_000 })),
  tools: fc.constant({}),
  exclude: fc.constantFrom([], ["tool"]),
  keepMedia: fc.option(fc.nat(3)),
});
const cut: fc.Arbitrary<Cut> = fc
  .tuple(fc.nat(60), fc.nat(60), fc.integer({ min: 40, max: 3_000 }))
  .map(([one, other, tokens]) => ({ from: Math.min(one, other), to: Math.max(one, other), tokens }));
const omitted: fc.Arbitrary<Omitted> = fc.record({
  at: fc.nat(60),
  what: fc.constantFrom("media" as const, "all" as const),
  code: fc.constant("model/bad-request" as const),
  why: fc.constant("refused"),
});
const steps = fc.array(step, { minLength: 1, maxLength: 20 });

test("any view of any transcript has each call with its results, whatever is cut off and cleared (I2)", () => {
  fc.assert(
    fc.property(
      steps,
      limits,
      fc.nat(80),
      fc.nat(80),
      fc.nat(80),
      fc.array(cut, { maxLength: 2 }),
      fc.array(omitted, { maxLength: 3 }),
      (said, shown, from, clearedTo, mediaTo, cuts, left) => {
        const transcript = Transcript.of(messagesOf(said));
        const head = headOf(transcript, from, mediaTo);
        const view: View = { from, head, clearedTo, mediaTo, cut: cuts, omitted: left };
        expect(historyProblem(viewOf(transcript, view, shown))).toBeUndefined();
      },
    ),
    { numRuns: 500 },
  );
});

test("a result that is cut has no more than it may, or one line, and says how long it is", () => {
  const letters = fc.constantFrom("y", "я", "字", "😀");
  fc.assert(
    fc.property(
      letters,
      fc.nat(9_000),
      fc.nat(3),
      fc.integer({ min: 40, max: 3_000 }),
      (letter, length, images, tokens) => {
        const said = letter.repeat(length);
        const whole = toolResult("c1", said);
        const image = { type: "image", source: { type: "url", url: "https://a.b/c.png" } } as const;
        const output = [...whole.output, ...Array.from({ length: images }, () => image)];
        const asked = [message("a1", "assistant", [toolUse("c1")])];
        const transcript = Transcript.of([...asked, message("r1", "tool", [{ ...whole, output }])]);
        const view: View = { ...WHOLE, cut: [{ from: 1, to: 2, tokens }] };
        const [seen] = viewOf(transcript, view, ALL_WHOLE).flatMap(toolResultsOf);
        const size = sizeOfContent(seen!.output);
        const isWhole = seen!.output === output || JSON.stringify(seen!.output) === JSON.stringify(output);
        expect(isWhole).toBe(sizeOfContent(output) <= tokens);
        if (isWhole) return;
        expect(size).toBeLessThanOrEqual(Math.max(tokens, 40));
        expect(JSON.stringify(seen!.output)).toContain("read_result");
        expect(JSON.stringify(seen!.output).isWellFormed()).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});

test("any bound cuts a transcript where no call is parted from its results, and never behind its end", () => {
  fc.assert(
    fc.property(
      steps,
      limits,
      fc.integer({ min: 1, max: 30 }),
      fc.nat(3_000),
      (said, shown, count, tokens) => {
        const transcript = Transcript.of(messagesOf(said));
        const cut = cutOf(transcript, WHOLE, { messages: count, tokens }, shown);
        const rest = transcript.slice(cut);
        expect(rest.length).toBeGreaterThan(0);
        expect(historyProblem(rest)).toBeUndefined();
      },
    ),
    { numRuns: 500 },
  );
});

/** The view of a transcript that nothing was seen of before. */
const afresh = (transcript: Transcript, view: View | null, shown: ResultLimits): readonly Msg[] =>
  viewOf(Transcript.of(transcript.slice()), view, { ...shown });

test("a view is the same whatever of its transcript was looked at before, and its size is that of its messages", () => {
  const look = fc.record({
    said: steps,
    isNewest: fc.boolean(),
    from: fc.nat(60),
    clearedTo: fc.option(fc.nat(60), { nil: undefined }),
    mediaTo: fc.option(fc.nat(60), { nil: undefined }),
    cut: fc.option(fc.array(cut, { maxLength: 2 }), { nil: undefined }),
    omitted: fc.option(fc.array(omitted, { maxLength: 3 }), { nil: undefined }),
    isOther: fc.boolean(),
    hasSummary: fc.boolean(),
  });
  fc.assert(
    fc.property(limits, limits, fc.array(look, { minLength: 2, maxLength: 8 }), (one, other, looks) => {
      let transcript = Transcript.of();
      let view: View = WHOLE;
      const older: Transcript[] = [];
      for (const [at, each] of looks.entries()) {
        const renamed = messagesOf(each.said).map((said) => ({ ...said, id: `${at}.${said.id}` }));
        const base = each.isNewest ? transcript : (older.at(-2) ?? transcript); // an older one, as a time travel has it
        older.push(transcript);
        transcript = base.append(renamed);
        const head = headOf(transcript, each.from, each.from);
        const { clearedTo = view.clearedTo, mediaTo = view.mediaTo } = each;
        const { cut: cuts = view.cut, omitted: left = view.omitted } = each;
        view = {
          from: each.from,
          head,
          clearedTo,
          ...(mediaTo !== undefined && { mediaTo }),
          ...(cuts && { cut: cuts }),
          ...(left && { omitted: left }),
          ...(each.hasSummary && { summary: message("s", "user", [text("What was said.")]) }),
        };
        const shown = each.isOther ? other : one;
        for (const of of [transcript, ...older]) {
          const seen = viewOf(of, view, shown);
          expect(seen).toEqual(afresh(of, view, shown));
          expect(lengthOfView(of, view)).toBe(seen.length);
          expect(sizeOfView(of, view, shown)).toBe(seen.reduce((sum, msg) => sum + sizeOfMessage(msg), 0));
          const long = hasOffloaded(of, view, shown, each.from);
          expect(long).toBe(hasOffloaded(Transcript.of(of.slice(each.from)), WHOLE, { ...shown }, 0));
        }
      }
    }),
    { numRuns: 100 },
  );
});

test("a list of messages that a view has given is not changed by later messages", () => {
  const first = Transcript.of([message("m1", "user", [text("one")])]);
  const seen = viewOf(first, null, { maxTokens: null, tools: {}, exclude: [], keepMedia: null });
  const second = first.append([message("m2", "user", [text("two")])]);
  viewOf(second, null, { maxTokens: null, tools: {}, exclude: [], keepMedia: null });
  expect(seen.map(({ id }) => id)).toEqual(["m1"]);
});

test("the size of a long view is that of its messages, wherever it begins and whatever was appended later", () => {
  const limits: ResultLimits = { maxTokens: null, tools: {}, exclude: [], keepMedia: null };
  const said = (index: number): Msg => message(`m${index}`, "user", [text("x".repeat(index % 97))]);
  const transcripts = [Transcript.of([said(0)])];
  for (let index = 1; index < 400; index++) transcripts.push(transcripts.at(-1)!.append([said(index)]));
  const edges = [0, 1, 127, 128, 129, 200, 255, 256, 399];
  sizeOfView(transcripts.at(-1)!, null, limits);
  for (const from of edges)
    for (const last of edges.filter((each) => each >= from)) {
      const view: View = { ...WHOLE, from };
      const seen = viewOf(transcripts[last]!, view, limits);
      const sum = seen.reduce((size, msg) => size + sizeOfMessage(msg), 0);
      expect([seen.length, sizeOfView(transcripts[last]!, view, limits)]).toEqual([last + 1 - from, sum]);
    }
});
