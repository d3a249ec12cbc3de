import { describe, expect, test } from "vitest";
import { ChartPath, pathLines } from "../demo/chart-path.ts";
import { announce, chooseModel } from "../demo/choose-model.ts";
import { createTokenCounter } from "../demo/count-tokens.ts";
import { openModel } from "../demo/open-model.ts";
import { DEFAULT_QUESTIONS, readOptions } from "../demo/options.ts";
import { Terminal } from "../demo/terminal.ts";

describe("which model", () => {
  const choose = (env: Record<string, string>, options: { offline?: boolean; model?: string } = {}) =>
    chooseModel(env, { offline: false, ...options });

  test("without a key it is the stand-in, which is said to be no language model", () => {
    expect(choose({})).toEqual({ kind: "standIn" });
    expect(choose({ OPENAI_API_KEY: " " })).toEqual({ kind: "standIn" });
    expect(announce({ kind: "standIn" })).toContain("rule-based planner and not a language model");
  });

  test("a key of OpenAI or DashScope names model and host, and says that data are sent there", () => {
    const openai = choose({ OPENAI_API_KEY: "sk" });
    expect(openai).toMatchObject({
      model: "gpt-4.1-mini",
      baseURL: "https://api.openai.com/v1",
      apiKey: "sk",
    });
    const dashscope = choose({ DASHSCOPE_API_KEY: "ds" });
    expect(dashscope).toMatchObject({
      model: "qwen-plus",
      baseURL: "https://dashscope.aliyuncs.com/compatible-mode/v1",
      apiKey: "ds",
    });
    expect(announce(dashscope)).toMatch(
      /qwen-plus at dashscope\.aliyuncs\.com.*query results are sent there \(--offline avoids it\)/,
    );
  });

  test("a base URL alone needs a model and sends no key of another service", () => {
    const env = { OPENAI_BASE_URL: "http://localhost:11434/v1", DASHSCOPE_API_KEY: "ds" };
    expect(() => choose(env)).toThrow("add --model NAME or set AGENTCHART_MODEL");
    expect(choose({ ...env, AGENTCHART_MODEL: "qwen3" })).toEqual({
      kind: "remote",
      model: "qwen3",
      baseURL: env.OPENAI_BASE_URL,
    });
    expect(choose({ ...env, OPENAI_MODEL: "a" }, { model: "b" })).toMatchObject({ model: "b" });
    expect(() => choose({ OPENAI_BASE_URL: "localhost" })).toThrow("not a URL");
  });

  test("--offline is stronger than every key, and --model alone is a mistake", () => {
    expect(choose({ OPENAI_API_KEY: "sk" }, { offline: true })).toEqual({ kind: "standIn" });
    expect(() => choose({}, { model: "m" })).toThrow("needs a server");
  });

  test("PROVIDER/NAME is a model of the AI SDK, unless a server is named, and says which key it wants", async () => {
    const model = "anthropic/claude-x";
    expect(() => choose({ OPENAI_API_KEY: "sk" }, { model })).toThrow(
      "--model anthropic/claude-x needs a key: set ANTHROPIC_API_KEY.",
    );
    const choice = choose({ ANTHROPIC_API_KEY: "k" }, { model });
    expect(choice).toEqual({ kind: "aiSdk", provider: "anthropic", model: "claude-x", apiKey: "k" });
    expect(announce(choice)).toContain("claude-x of anthropic. The schema and query results are sent there");
    expect((await openModel(choice, 0)).model.name).toBe("anthropic/claude-x");
    const env = { OPENAI_BASE_URL: "https://openrouter.ai/api/v1", OPENAI_API_KEY: "sk" };
    expect(choose(env, { model })).toMatchObject({ kind: "remote", model });
    expect(() => choose({}, { model: "nobody/m" })).toThrow("name a provider (alibaba, anthropic,");
  });
});

describe("the command line", () => {
  test("asks the production task unless there is a question", () => {
    expect(readOptions([])).toMatchObject({
      question: DEFAULT_QUESTIONS.en,
      out: "agentchart-out",
      offline: false,
    });
    expect(readOptions(["--lang", "zh"]).question).toBe(DEFAULT_QUESTIONS.zh);
    expect(readOptions(["total amount", "--csv", "a.csv", "--pace", "0"])).toMatchObject({
      question: "total amount",
      csv: "a.csv",
      pace: 0,
    });
  });

  test.each([
    [["--nope"], "Unknown option '--nope'"],
    [["two", "questions"], "put it in quotes"],
    [["--db", "a", "--csv", "b"], "not both"],
    [["--pace", "fast"], "--pace takes a number"],
    [["--lang", "fr"], "--lang takes en or zh"],
    [["--encoding", "utf-8"], "only goes with --csv"],
  ])("refuses %j", (args, problem) => {
    expect(() => readOptions(args)).toThrow(problem);
  });
});

test("the path tells repeated states once, with how often", () => {
  const round = [
    "reasoning.calling.running",
    "reasoning.deciding",
    "acting.executing.running",
    "acting.deciding",
  ];
  expect(
    pathLines(["stopped.idle", "doCall.preCall", ...round, ...round, ...round.slice(0, 2), "stopped.idle"]),
  ).toEqual([
    "     stopped      idle",
    "     doCall       preCall",
    " 2 × reasoning    calling → deciding",
    "     acting       executing → deciding",
    "     reasoning    calling → deciding",
    "     stopped      idle",
  ]);
});

test("the path is that of the agent's own microsteps, else that of its events", () => {
  const path = new ChartPath();
  const at = { seq: 0, n: 1, at: 0, turn: 1 };
  path.observe({ ...at, type: "state", value: "reasoning.calling" });
  path.observe({ ...at, type: "state", value: "reasoning.calling" });
  expect(path.states).toEqual(["reasoning.calling"]);
  const step = { type: "@xstate.microstep", rootId: "x:0", actorRef: { sessionId: "x:0" } };
  path.inspect({ ...step, snapshot: { value: { doCall: "preCall" } } });
  path.inspect({ ...step, actorRef: { sessionId: "x:1" }, snapshot: { value: "child" } });
  path.inspect({ ...step, type: "@xstate.snapshot", snapshot: { value: "other" } });
  expect(path.states).toEqual(["doCall.preCall"]);
});

describe("the terminal", () => {
  const write = (isTTY: boolean, env: Record<string, string>): string => {
    let written = "";
    const terminal = new Terminal({ isTTY, write: (text) => (written += text) }, env);
    terminal.text("a\u001b[2Jb");
    terminal.line("c", "red");
    return written;
  };

  test("shows colours on a terminal only, and not with NO_COLOR", () => {
    expect(write(true, {})).toBe("a[2Jb\n\u001b[31mc\u001b[0m\n");
    expect(write(true, { NO_COLOR: "1" })).toBe("a[2Jb\nc\n");
    expect(write(false, {})).toBe("a[2Jb\nc\n");
  });
});

test("tokens are counted, also of text that is no language", { timeout: 40_000 }, async () => {
  const counter = await createTokenCounter();
  const usage = (content: string) =>
    counter.usage({ model: "m", messages: [{ role: "user", content }] }, { content: "Hello world" });
  expect(usage("Hello world")).toEqual({ prompt_tokens: 6, completion_tokens: 2 });
  expect(usage("<|endoftext|>").prompt_tokens).toBeGreaterThan(4);
  // as one word it would take longer than this test may
  expect(usage("a".repeat(400_000)).prompt_tokens).toBeGreaterThan(40_000);
  counter.free();
});
