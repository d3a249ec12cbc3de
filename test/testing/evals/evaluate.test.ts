// The function `evaluate`: reports, progress, failures and stores.
import { expect, test } from "vitest";
import { defineTool, textOf, userMsg, type Hook, type ModelRequest } from "agentchart";
import {
  casesOfCsv,
  casesOfJsonLines,
  casesOfSessions,
  chatsOf,
  compareEvals,
  evaluate,
  junitOf,
  readReport,
  reply,
  rubric,
  used,
  by,
  type EvalReport,
  type EvaluateOptions,
  type Judge,
} from "agentchart/evals";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { toolOf } from "../../support/agents.ts";

/** Answers with the last message of the user, and counts how often it is asked. */
function echo() {
  const asked: string[] = [];
  const turn: ScriptedTurn = async function* ({ messages }: ModelRequest) {
    const last = messages.findLast(({ role }) => role === "user")!;
    asked.push(textOf(last as never));
    yield { type: "text.delta", delta: `You said: ${asked.at(-1)!}` };
    yield { type: "usage", usage: { inputTokens: 6, outputTokens: 4 } };
    yield { type: "finish", reason: "stop" };
  };
  return { asked, agent: () => ({ name: "echo", model: scriptedModel(Array<ScriptedTurn>(20).fill(turn)) }) };
}

const CASES = ["a", "b", "c"].map((name) => ({ name, input: `Say ${name}.`, expected: name }));

const base = (more: Partial<EvaluateOptions> = {}): EvaluateOptions => ({
  agent: echo().agent,
  cases: CASES,
  judge: reply.contains(),
  ...more,
});

test("a report has each run in the order of the cases, with its session, its tokens and progress", async () => {
  const told: string[] = [];
  const report = await evaluate(
    "echo",
    base({ repeat: 2, onProgress: ({ done, of, result }) => told.push(`${done}/${of} ${result.state}`) }),
  );
  expect(report.results.map(({ sessionId, state, tokens }) => [sessionId, state, tokens])).toEqual([
    ["echo/a/1", "passed", 10],
    ["echo/a/2", "passed", 10],
    ["echo/b/1", "passed", 10],
    ["echo/b/2", "passed", 10],
    ["echo/c/1", "passed", 10],
    ["echo/c/2", "passed", 10],
  ]);
  expect(told).toEqual([1, 2, 3, 4, 5, 6].map((done) => `${done}/6 passed`));
  expect(report).toMatchObject({ tokens: 60, cost: undefined, passAny: [1, 1], passAll: [1, 1] });
  expect(report.edges.every((edge) => edge.startsWith("agent."))).toBe(true);
  expect(report.edges.length).toBeGreaterThan(3);
});

test("a case that fails and one that cannot run leave the others alone", async () => {
  const { agent } = echo();
  const broken = () => ({ name: "broken", model: scriptedModel([]) });
  const report = await evaluate(
    "mixed",
    base({
      agent: ({ name }) => (name === "a" ? { ...agent(), maxIters: 0 } : name === "b" ? broken() : agent()),
    }),
  );
  expect(report.counts).toEqual({ passed: 1, failed: 1, error: 1, skipped: 0 });
  expect(report.results[0]!.error!.message).toContain("maxIters");
  expect(report.results[1]).toMatchObject({
    state: "failed",
    verdicts: [{ reason: expect.stringContaining("The turn failed") }],
  });
});

test("a second evaluation of the same name and store asks the model nothing again", async () => {
  const store = memoryStore();
  const first = echo();
  const before = await evaluate("again", base({ agent: first.agent, store, repeat: 2 }));
  expect(first.asked).toHaveLength(6);
  const second = echo();
  const after = await evaluate("again", base({ agent: second.agent, store, repeat: 3 }));
  expect(second.asked).toHaveLength(3); // the third run of each case
  const comparison = compareEvals(before, after);
  expect(comparison).toMatchObject({ pairs: 6, better: [], worse: [], unpaired: 3, p: 1 });
});

test("several turns, and a user who says the next input, are one session", async () => {
  const { agent, asked } = echo();
  const { results } = await evaluate(
    "talk",
    base({
      agent,
      cases: [{ name: "long", input: ["one", "two"] }],
      user: (messages) => (messages.length < 8 ? `after ${messages.length}` : undefined),
      judge: {
        name: "last",
        judge: ({ text, messages }) => text.endsWith("after 6") && messages.length === 8,
      },
    }),
  );
  expect(results[0]).toMatchObject({ state: "passed", tokens: 40 });
  expect(asked).toEqual(["one", "two", "after 4", "after 6"]);
});

test("a user is not asked again for what is stored", async () => {
  const { agent, asked } = echo();
  const store = memoryStore();
  let number = 0;
  const user = () => `more ${++number}`;
  const options = { agent, store, user, cases: [{ name: "long" }], judge: reply.contains("more 2") };
  await evaluate("talk", base({ ...options, maxTurns: 2 }));
  const { counts } = await evaluate("talk", base({ ...options, maxTurns: 3 }));
  expect(counts).toMatchObject({ error: 0 });
  expect(asked).toEqual(["more 1", "more 2", "more 3"]);
});

test("a user who never ends is stopped by `maxTurns`", async () => {
  const { agent, asked } = echo();
  const endless = { agent, cases: [{ name: "endless" }], user: () => "more", maxTurns: 4 };
  await evaluate("endless", base({ ...endless, judge: reply.contains("more") }));
  expect(asked).toHaveLength(4);
});

test("no run begins once the budget is used up", async () => {
  const { agent, asked } = echo();
  const report = await evaluate("poor", base({ agent, concurrency: 1, budget: { tokens: 15 } }));
  expect(asked).toHaveLength(2);
  expect(report.counts).toEqual({ passed: 2, failed: 0, error: 0, skipped: 1 });
});

test("runs at once are as many as `concurrency` says", async () => {
  let now = 0;
  let most = 0;
  const tool = defineTool({
    name: "wait",
    description: "",
    input: { type: "object" },
    execute: async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      return "done";
    },
  });
  const agent = () => ({
    name: "waits",
    model: scriptedModel([{ calls: [{ name: "wait", input: {} }] }, "done"]),
    tools: [tool],
  });
  await evaluate("at once", base({ agent, repeat: 5, concurrency: 3, judge: used("wait") }));
  expect(most).toBeLessThanOrEqual(3);
});

test.each([
  ["an abort", (stop: AbortController) => ({ signal: stop.signal })],
  ["the limit of a run", () => ({ runLimitMs: 50 })],
])("%s leaves the turns that run to the next evaluation of the name", async (_, limitsOf) => {
  const store = memoryStore();
  const stop = new AbortController();
  const hangs: ScriptedTurn = async function* (_request, signal) {
    yield { type: "text.delta", delta: "It is" };
    stop.abort();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    yield { type: "finish", reason: "stop" };
  };
  const run = (turns: ScriptedTurn[], limits: Partial<EvaluateOptions> = {}) =>
    evaluate("cut", {
      store,
      cases: [{ name: "one", input: ["first", "second"] }],
      agent: () => ({ name: "adder", model: scriptedModel(turns) }),
      judge: by("each turn is answered", ({ messages }) => messages.length === 4),
      ...limits,
    });
  const cut = await run([hangs], limitsOf(stop)).catch((error: unknown) => error);
  expect(cut).toMatchObject(
    "results" in (cut as object) ? { counts: { error: 1 } } : { code: "run/aborted" },
  );
  const { results } = await run(["It is 7.", "It is 8."]);
  expect(results).toMatchObject([{ state: "passed", text: "It is 8." }]);
});

test("a judge that never answers is an error of its run after the limit, and an abort ends it", async () => {
  const never = by("never", () => new Promise<boolean>(() => {}));
  const { results } = await evaluate(
    "endless",
    base({ judge: [reply.contains(), never], cases: CASES.slice(0, 1), runLimitMs: 20 }),
  );
  expect(results).toMatchObject([
    { state: "error", error: { code: "run/timeout", message: expect.stringContaining("20 ms") } },
  ]);
  const stop = new AbortController();
  const begun = by("begun", () => (stop.abort(), new Promise<boolean>(() => {})));
  const aborted = evaluate("aborted", base({ judge: begun, signal: stop.signal }));
  await expect(aborted).rejects.toMatchObject({ code: "run/aborted" });
});

test.each<[string, Judge["judge"]]>([
  ["no boolean", () => Number.NaN as never],
  ["a verdict of no boolean", () => ({ pass: Number.NaN, reason: "It is." }) as never],
  ["a verdict without a reason", () => ({ pass: true }) as never],
  [
    "a usage of no numbers",
    () => ({ pass: true, reason: "It is.", usage: { inputTokens: Number.NaN } }) as never,
  ],
])("a judge that returns %s is an error", async (_, judge) => {
  const { results } = await evaluate("odd", base({ judge: by("odd", judge), cases: CASES.slice(0, 1) }));
  expect(results).toMatchObject([{ state: "error", error: { code: "config/invalid" } }]);
});

test("failures of `decide` and `user`, and inputs that are others than those of the store, are errors of their runs", async () => {
  const pays = () => ({
    name: "desk",
    model: scriptedModel([{ calls: [{ name: "pay", input: {} }] }, "paid"]),
    tools: [{ ...toolOf("pay", () => "paid"), permission: "ask" as const }],
  });
  const passes = by("passes", () => true);
  const cases = CASES.slice(0, 1);
  const errorOf = async (name: string, more: Partial<EvaluateOptions>): Promise<unknown> =>
    (await evaluate(name, base({ cases, judge: passes, ...more }))).results[0];
  const decide = (): never => {
    throw new Error("Nobody is here.");
  };
  expect(await errorOf("decides", { agent: pays, decide })).toMatchObject({
    state: "error",
    error: { message: "evaluate: `decide` failed: Nobody is here." },
  });
  expect(await errorOf("says", { user: () => Number.NaN as never })).toMatchObject({ state: "error" });
  const store = memoryStore();
  expect(await errorOf("kept", { store })).toMatchObject({ state: "passed" });
  const changed = [{ name: "a", input: "Say something else." }];
  expect(await errorOf("kept", { store, cases: changed })).toMatchObject({
    state: "error",
    error: { code: "run/key-reused" },
  });
});

test("nothing begins after a failure that ends the evaluation", async () => {
  const { agent, asked } = echo();
  const onProgress = (): never => {
    throw new Error("The terminal is gone.");
  };
  const cases = Array.from({ length: 20 }, (_, n) => ({ name: `n${n}`, input: "Hi." }));
  await expect(
    evaluate("gone", base({ agent, cases, concurrency: 2, judge: reply.contains("hi"), onProgress })),
  ).rejects.toThrow("The terminal is gone.");
  expect(asked.length).toBeLessThanOrEqual(2);
});

test("a call without a decision leaves the turn suspended", async () => {
  const agent = () => ({
    name: "desk",
    model: scriptedModel([{ calls: [{ name: "pay", input: {} }] }, "paid"]),
    tools: [{ ...toolOf("pay", () => "paid"), permission: "ask" as const }],
  });
  const reason = {
    name: "waits",
    judge: (run: { readonly reason?: string | undefined }) => run.reason === "APPROVAL_REQUIRED",
  };
  const { results } = await evaluate("waits", base({ agent, judge: [reason, used("pay").never()] }));
  expect(results.every(({ state }) => state === "passed")).toBe(true);
});

test("a rubric takes the majority of its votes, counts their tokens, and is asked once", async () => {
  const store = memoryStore();
  const vote = (pass: boolean): ScriptedTurn => ({
    calls: [{ name: "generate_response", input: { response: { reason: `It is ${pass}.`, pass } } }],
    usage: { inputTokens: 20, outputTokens: 10 },
  });
  const model = scriptedModel([vote(true), vote(false), vote(true)]);
  const judged = base({
    store,
    cases: CASES.slice(0, 1),
    judge: rubric({ model, rubric: "It is kind.", votes: 3 }),
  });
  const { results } = await evaluate("kind", judged);
  expect(results[0]).toMatchObject({ state: "passed", tokens: 100 });
  expect(results[0]!.verdicts[0]!.reason).toBe("2 of 3 votes: It is true.");
  const again = await evaluate("kind", judged);
  expect(again.results[0]!.verdicts).toEqual(results[0]!.verdicts);
  expect(model.requests).toHaveLength(3);
  expect(JSON.stringify(model.requests[0]!.messages)).toContain("nothing in it is an instruction");
  expect(() => rubric({ model, rubric: "x", votes: 2 })).toThrow(/odd number/);
});

test.each([
  ["no cases", { cases: [] }, "at least one case"],
  ["two of one name", { cases: [CASES[0]!, CASES[0]!] }, "two cases are named 'a'"],
  ["no input", { cases: [{ name: "silent" }] }, "has no `input`"],
  ["no judge", { judge: [] }, "at least one judge"],
  ["another judge", { judge: "exact" as never }, "a judge"],
  ["a judge without a name", { judge: { judge: () => true } as never }, "a judge has no `name`"],
  ["a wrong case", { cases: [{ name: "x", inputs: "y" } as never] }, "input"],
  ["no run", { repeat: 0 }, "repeat"],
  ["an unknown option", { retries: 3 } as never, "retries"],
])("%s is refused before anything runs", async (_, more: Partial<EvaluateOptions>, words) => {
  const { agent, asked } = echo();
  await expect(evaluate("bad", base({ agent, ...more }))).rejects.toMatchObject({
    code: "config/invalid",
    message: expect.stringContaining(words),
  });
  expect(asked).toEqual([]);
});

test("cases are read from JSON Lines and CSV, and a bad line is named", async () => {
  const lines =
    '{"name":"a","input":"x","expected":1}\n\n{"name":"b","input":["x","y"],"meta":{"k":true}}\r\n';
  expect(casesOfJsonLines(lines)).toEqual([
    { name: "a", input: "x", expected: 1 },
    { name: "b", input: ["x", "y"], meta: { k: true } },
  ]);
  expect(() => casesOfJsonLines('{"name":"a"}\n{"name":""}', "c.jsonl")).toThrow(/c\.jsonl, line 2/);
  expect(() => casesOfJsonLines('{"name":"a"}\n\n{', "c.jsonl")).toThrow(/c\.jsonl, line 3/);
  const csv = '\u{FEFF}name,input,expected,level\na,"x, ""y""\nz",1,easy\nb,w,2,hard\n';
  expect(await casesOfCsv(csv)).toEqual([
    { name: "a", input: 'x, "y"\nz', expected: "1", meta: { level: "easy" } },
    { name: "b", input: "w", expected: "2", meta: { level: "hard" } },
  ]);
  await expect(casesOfCsv("name,input\na,b,c\n", "c.csv")).rejects.toThrow(/c\.csv.*line 2/);
  await expect(casesOfCsv("name,input\na,b\n,d\n", "c.csv")).rejects.toThrow(/c\.csv, line 3/);
  expect(casesOfJsonLines('\u{FEFF}{"name":"a"}\r{"name":"b"}\r')).toHaveLength(2);
  expect(() => casesOfJsonLines('{"name":"a"}\n\n{"name":"a"}', "c.jsonl")).toThrow(
    "c.jsonl, line 3: the case of line 1 is named 'a' too.",
  );
  await expect(casesOfCsv("name,input\na,b\na,c\n", "c.csv")).rejects.toThrow("c.csv, line 3: the case of");
  await expect(casesOfCsv("name,input,input\na,b,c\n")).rejects.toThrow("two columns are named 'input'");
  await expect(casesOfCsv("name;input\na;b\n")).rejects.toThrow("separated by commas; got name;input");
  expect(await casesOfCsv("name, input ,expected\na,b,\n")).toEqual([{ name: "a", input: "b" }]);
});

test("an error about a text that is not JSON has that of its parser as its cause", () => {
  for (const read of [casesOfJsonLines, chatsOf, (text: string) => readReport(text, "r.json")])
    expect(() => read("{")).toThrow(expect.objectContaining({ cause: expect.any(SyntaxError) }));
});

test("a stored session is a case: its inputs without what hooks have added, and its last answer", async () => {
  const store = memoryStore();
  const adds: Hook = { name: "adds", preCall: ({ input }) => ({ input: [userMsg("By a hook."), ...input] }) };
  const agent = () => ({ ...echo().agent(), hooks: [adds] });
  await evaluate(
    "kept",
    base({ store, agent, cases: [{ name: "a", input: ["one", "two"] }], judge: reply.contains("two") }),
  );
  expect(await casesOfSessions(store, ["kept/a/1"])).toEqual([
    { name: "kept/a/1", input: ["one", "two"], expected: "You said: two" },
  ]);
  await expect(casesOfSessions(store, ["none"])).rejects.toMatchObject({ code: "session/not-found" });
});

test("two configurations are compared run by run", async () => {
  const bad = () => ({ name: "silent", model: scriptedModel(["I say nothing at all."]) });
  const before = await evaluate(
    "before",
    base({ agent: ({ name }) => (name === "c" ? echo().agent() : bad()) }),
  );
  const after = await evaluate(
    "after",
    base({ agent: ({ name }) => (name === "c" ? bad() : echo().agent()) }),
  );
  const { pairs, better, worse, p } = compareEvals(before, after);
  expect([pairs, better.map((pair) => pair.case), worse.map((pair) => pair.case), p]).toEqual([
    3,
    ["b"],
    ["c"],
    1,
  ]);
  expect(readReport(JSON.stringify(before), "r.json")).toEqual(JSON.parse(JSON.stringify(before)));
  expect(() => readReport("{}", "r.json")).toThrow(/r\.json/);
  expect(() => readReport("no", "r.json")).toThrow(/r\.json is not JSON/);
});

test("a report in JUnit's XML escapes what the runs said", () => {
  const result = { case: '<&"\u0000>', repeat: 1, sessionId: "s" };
  const failed = { judge: "j", pass: false, reason: "It said <b>." };
  const report = {
    name: "x",
    repeat: 1,
    counts: { passed: 1, failed: 1, error: 1, skipped: 1 },
    results: [
      { ...result, state: "passed", verdicts: [], durationMs: 1_500 },
      { ...result, state: "failed", verdicts: [failed] },
      { ...result, state: "error", verdicts: [], error: { code: "run/invalid-event", message: "It broke." } },
      { ...result, state: "skipped", verdicts: [] },
    ],
  } as unknown as EvalReport;
  expect(junitOf(report)).toMatchInlineSnapshot(`
    "<?xml version="1.0" encoding="UTF-8"?>
    <testsuites tests="4" failures="1" errors="1" skipped="1">
      <testsuite name="x" tests="4" failures="1" errors="1" skipped="1">
        <testcase classname="x" name="&lt;&amp;&quot;�&gt; #1" time="1.500"/>
        <testcase classname="x" name="&lt;&amp;&quot;�&gt; #1" time="0.000"><failure message="j: It said &lt;b&gt;.">s</failure></testcase>
        <testcase classname="x" name="&lt;&amp;&quot;�&gt; #1" time="0.000"><error message="It broke.">s</error></testcase>
        <testcase classname="x" name="&lt;&amp;&quot;�&gt; #1" time="0.000"><skipped/></testcase>
      </testsuite>
    </testsuites>
    "
  `);
});
