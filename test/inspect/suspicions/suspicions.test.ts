// Each suspicion finds what it is about, and nothing in a good run.
import { describe, expect, test } from "vitest";
import { SUSPICIONS, findSuspicions, type Suspicion, type SuspicionCheck } from "agentchart/inspect";
import { memoryStore } from "agentchart/store/memory";
import { StoreRuns } from "../../../src/inspect/hub/store-runs.ts";
import { RunSuspicions } from "../../../src/inspect/hub/run-suspicions.ts";
import { FactReader } from "../../../src/inspect/suspicions/fact-reader.ts";
import { SUSPICIOUS_RUNS, type SuspiciousRun } from "./suspicious-runs.ts";

/** Plays a run that is watched and stored. */
async function played({ play }: SuspiciousRun) {
  let time = 1_000_000;
  const store = memoryStore();
  const agent = await play({ store, sessionId: "s", sessionOptions: { now: () => ++time } });
  await agent.close();
  return { store, log: (await new StoreRuns(store).logOf("s"))! };
}

/** The texts of suspicions, by their kind. */
const byKind = (found: readonly Suspicion[]): { readonly [kind: string]: readonly string[] } =>
  Object.fromEntries(
    [...Map.groupBy(found, ({ kind }) => kind)].map(([kind, all]) => [kind, all.map(({ text }) => text)]),
  );

describe("what is odd in a run is said, and nothing else", () => {
  test.each(Object.keys(SUSPICIOUS_RUNS))("%s", async (name) => {
    const { says } = SUSPICIOUS_RUNS[name]!;
    const { log, store } = await played(SUSPICIOUS_RUNS[name]!);
    const found = new RunSuspicions().of(log);
    const texts = byKind(found);
    expect(Object.keys(texts).toSorted()).toEqual(Object.keys(says).toSorted());
    for (const [kind, patterns] of Object.entries(says)) {
      expect(texts[kind]).toHaveLength(patterns.length);
      for (const [place, pattern] of patterns.entries()) expect(texts[kind]![place]).toMatch(pattern);
    }
    for (const { steps, label } of found) {
      expect(label).not.toBe("");
      expect(steps).toEqual([...new Set(steps)].toSorted((a, b) => a - b));
      expect(steps.every((step) => step >= 1 && step <= log.last)).toBe(true);
    }
    expect(await findSuspicions(store, "s")).toEqual(found);
  });

  test("every built-in check finds something in one of these runs", () => {
    const named = new Set(Object.values(SUSPICIOUS_RUNS).flatMap(({ says }) => Object.keys(says)));
    expect(SUSPICIONS.map(({ name }) => name).filter((name) => !named.has(name))).toEqual([]);
  });
});

test("the steps of a suspicion are those that show it", async () => {
  const { log } = await played(SUSPICIOUS_RUNS["the same call three times"]!);
  const [suspicion] = new RunSuspicions().of(log);
  const calling = log
    .page(1, log.last)
    .items.filter(({ p = [] }) => JSON.stringify(p).includes('"tool_use"'));
  const withMessage = calling.filter(({ p = [] }) => p.some(([, [key]]) => key === "messages"));
  expect(suspicion!.steps).toEqual(withMessage.map(({ q }) => q));
  expect(suspicion!.label).toBe("look ×3");
});

test("a run that grows has the same suspicions as one that is read at once", async () => {
  const { log } = await played(SUSPICIOUS_RUNS["a budget near its end, and one that is used up"]!);
  const { items } = log.page(1, log.last);
  const [grown, whole] = [new FactReader(), new FactReader()];
  for (const step of items) {
    grown.add(step);
    expect(grown.facts.calls.length).toBeLessThanOrEqual(items.length);
  }
  for (const step of items) whole.add(step);
  expect(grown.facts).toEqual(whole.facts);
});

describe("checks of a user", () => {
  const anyCall: SuspicionCheck = {
    name: "any-call",
    title: "a call",
    find: ({ calls }) =>
      calls.map(({ tool, askedAt }) => ({ text: `${tool} was called.`, steps: [askedAt] })),
  };

  test("are made beside the built-in ones", async () => {
    const { store } = await played(SUSPICIOUS_RUNS["the same call three times"]!);
    const found = await findSuspicions(store, "s", { suspicions: [anyCall] });
    expect(found.map(({ kind }) => kind).toSorted()).toEqual([
      "any-call",
      "any-call",
      "any-call",
      "repeated-call",
    ]);
    expect(found.find(({ kind }) => kind === "any-call")?.label).toBe("a call");
  });

  test("replace the built-in one that has their name", async () => {
    const { store } = await played(SUSPICIOUS_RUNS["the same call three times"]!);
    const quiet: SuspicionCheck = { name: "repeated-call", title: "nothing", find: () => [] };
    expect(await findSuspicions(store, "s", { suspicions: [quiet] })).toEqual([]);
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("no luck");
      },
      /^The check 'broken' failed: no luck$/,
    ],
    ["returns no list", () => undefined as never, /^The check 'broken' failed: /],
    [
      "returns a finding without steps",
      () => [{ text: "odd", steps: [] }],
      /A finding has a `text`, and in `steps`/,
    ],
  ] as const)("that %s is reported, and the others are made", async (_, find, text) => {
    const { store } = await played(SUSPICIOUS_RUNS["the same call three times"]!);
    const found = await findSuspicions(store, "s", { suspicions: [{ name: "broken", title: "x", find }] });
    expect(found.find(({ kind }) => kind === "broken")).toMatchObject({
      isBroken: true,
      steps: [1],
      text: expect.stringMatching(text),
    });
    expect(found.some(({ kind }) => kind === "repeated-call")).toBe(true);
  });

  test.each([
    [{ name: "any", title: "x", find: () => [] }, /`suspicions\[0\]\.name`/],
    [{ name: "Big Name", title: "x", find: () => [] }, /small letters/],
    [{ name: "x", title: "", find: () => [] }, /`suspicions\[0\]\.title`/],
    [{ name: "x", title: "x", find: "no" }, /`suspicions\[0\]\.find`/],
  ])("that are none are refused: %o", async (check, problem) => {
    await expect(findSuspicions(memoryStore(), "s", { suspicions: [check as never] })).rejects.toThrow(
      problem,
    );
  });

  test("an unknown session is refused", async () => {
    await expect(findSuspicions(memoryStore(), "nobody")).rejects.toMatchObject({
      code: "session/not-found",
    });
  });
});
