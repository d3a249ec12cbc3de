// Specifies the parts of the demo: which model is asked, the command line, the path through the chart, the terminal.
import { describe, expect, test } from "vitest";
import { ChartPath, pathLines } from "../demo/chart-path.ts";
import { announce, chooseModel } from "../demo/choose-model.ts";
import { HELP, readOptions } from "../demo/options.ts";
import { Terminal } from "../demo/terminal.ts";

describe("which model", () => {
  const choose = (env: Record<string, string>, options: { offline?: boolean; model?: string } = {}) =>
    chooseModel(env, { offline: false, ...options });

  test("without a key it is the stand-in, which says what it can answer", () => {
    expect(choose({})).toEqual({ kind: "standIn" });
    expect(choose({ OPENAI_API_KEY: " " })).toEqual({ kind: "standIn" });
    expect(announce({ kind: "standIn" })).toContain("answers a closed list of questions (--help)");
  });

  test("a key of OpenAI or DashScope names model and host, and says that data are sent there", () => {
    expect(choose({ OPENAI_API_KEY: "sk" })).toMatchObject({ model: "gpt-4.1-mini", apiKey: "sk" });
    const dashscope = choose({ DASHSCOPE_API_KEY: "ds" });
    expect(dashscope).toMatchObject({ model: "qwen-plus", apiKey: "ds" });
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
});

describe("the command line", () => {
  test("has no question of its own, and the help lists what is answered without a model", () => {
    expect(readOptions([])).toEqual(expect.not.objectContaining({ question: expect.anything() as unknown }));
    expect(readOptions(["count rows", "--csv", "a.csv", "--pace", "0"])).toMatchObject({
      question: "count rows",
      csv: "a.csv",
      out: "agentchart-out",
      offline: false,
      pace: 0,
    });
    for (const part of ["count rows [of TABLE]", "needs a model: set OPENAI_API_KEY"])
      expect(HELP).toContain(part);
  });

  test.each([
    [["--nope"], "Unknown option '--nope'"],
    [["two", "questions"], "put it in quotes"],
    [["--db", "a", "--csv", "b"], "not both"],
    [["--pace", "fast"], "--pace takes a number"],
  ])("refuses %j", (args, problem) => {
    expect(() => readOptions(args)).toThrow(problem);
  });
});

test("the path tells repeated states once, with how often", () => {
  const round = ["reasoning.calling.running", "reasoning.deciding", "acting.executing.running"];
  expect(pathLines(["stopped.idle", ...round, ...round, "reasoning.calling", "stopped.idle"])).toEqual([
    "     stopped      idle",
    " 2 × reasoning    calling → deciding",
    "     acting       executing",
    "     reasoning    calling",
    "     stopped      idle",
  ]);
});

test("the path is that of the agent's own microsteps, without its children's", () => {
  const path = new ChartPath();
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
