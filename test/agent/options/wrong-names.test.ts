// Unknown options are refused with the name that was meant.
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  createAgent,
  defineHook,
  defineTool,
  toolResultMsg,
  type AgentConfig,
  type AgentError,
} from "agentchart";
import { openSession, sessionManager } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";

const base = { name: "a", model: scriptedModel(["done"]) };
const made = (config: object) => () => createAgent({ ...base, ...config } as AgentConfig);
const refusal = (message: string) => expect.objectContaining({ code: "config/invalid", message });

describe("createAgent names a wrong option and what was expected", () => {
  test.each([
    [{ maxIter: 3 }, "`maxIter` is not an option; did you mean `maxIters`?"],
    [
      { modelOptions: { execution: { timeout: 5 } } },
      "`modelOptions.execution.timeout` is not an option; did you mean `timeoutMs`?",
    ],
    [{ memory: { maxMessages: 5 } }, "`memory` is not an option; did you mean `modelOptions.contextWindow`?"],
    [
      { modelOptions: { contextWindow: { max: 5 } } },
      "`modelOptions.contextWindow.max` is not an option; there are maxMessages, maxTokens.",
    ],
    [{ permissions: { rule: [] } }, "`permissions.rule` is not an option; did you mean `rules`?"],
    [
      { permissions: [{ tool: "x", action: "ask" }] },
      "`permissions` is an array; expected an object such as { rules: […] }.",
    ],
    [
      { permissions: { rules: [{ tool: "x", action: "ask", if: () => true }] } },
      "`permissions.rules[0].if` is not an option; there are tool, action, when, reason, optional.",
    ],
    [{ budget: { totalToken: 5 } }, "`budget.totalToken` is not a limit; did you mean `totalTokens`?"],
    [
      { budget: { totalTokens: "5" } },
      '`budget.totalTokens` is "5"; expected an integer of at least 1, or Infinity.',
    ],
    [{ maxIters: "10" }, '`maxIters` is "10"; expected an integer of at least 1.'],
    [
      { generateOptions: { temprature: 1 } },
      "`generateOptions.temprature` is not an option; did you mean `temperature`?",
    ],
    [
      { inspect: true },
      '`inspect` is true; expected "auto", an address, an observer, or an array of observers.',
    ],
    [{ hooks: [function log() {}] }, "`hooks[0]` is a function; expected a hook: an object with a `name`."],
    [{ store: "file:./s" }, "`store` is a string; expected a SessionStore, such as fileStore({ dir })."],
    [
      { model: "gpt" },
      "`model` is a string; expected a ChatModel with a stream() method, as openaiModel({ model }) gives.",
    ],
    [
      { hooks: [{ name: "h", preReasonning: () => {} }] },
      "`hooks[0].preReasonning` is not a hook point; did you mean `preReasoning`?",
    ],
  ])("%o", (config, message) => {
    let error: unknown;
    try {
      made(config)();
    } catch (thrown) {
      error = thrown;
    }
    const { code, message: found } = error as AgentError;
    // the projects noop and resume put a hook before those of the test
    expect([code, found.replace("hooks[1]", "hooks[0]")]).toEqual([
      "config/invalid",
      `createAgent: ${message}`,
    ]);
  });

  test("createAgent lists all options if an unknown name resembles none", () => {
    expect(made({ colour: "s" })).toThrow(
      /^createAgent: `colour` is not an option; there are name, sysPrompt, model, /,
    );
  });

  test("createAgent ignores undefined options, and accepts hooks with fields of their own", () => {
    const hooks = [{ name: "h", seen: 0, count: () => 1, preCall: () => {} }];
    expect(made({ maxIter: undefined, hooks })).not.toThrow();
  });
});

describe("defineHook refuses what is not a hook where it is written", () => {
  test.each([
    [{ name: "h", preReasonning: () => {} }, /^defineHook: .*preReasonning.* did you mean `preReasoning`\?$/],
    [{ name: "h", preCall: "yes" }, /^defineHook: .*preCall.* is "yes"; expected a function\.$/],
    [{ preCall: () => {} }, /^defineHook: .*name/],
    [() => {}, /^defineHook: .*expected a hook: an object with a `name`\.$/],
  ])("%o", (hook, message) => {
    expect(() => defineHook(hook as never)).toThrow(
      expect.objectContaining({ code: "config/invalid", message: expect.stringMatching(message) as string }),
    );
  });

  test("and gives back the same object, with fields of its own", () => {
    const hook = { name: "h", seen: 0, count: () => 1, preCall: () => {} };
    expect(defineHook(hook)).toBe(hook);
  });
});

describe("call() names a wrong option", () => {
  test.each([
    [{ timeout: 5 }, "`timeout` is not an option; did you mean `timeoutMs`?"],
    [{ timeoutMs: "5" }, '`timeoutMs` is "5"; expected a number.'],
    [{ whenBusy: "wait" }, '`whenBusy` is "wait"; expected "refuse" or "queue".'],
    [{ signal: {} }, "`signal` is an object; expected an AbortSignal."],
  ])("%o", async (options, message) => {
    await expect(createAgent(base).call("go", options as never)).rejects.toEqual(refusal(`call: ${message}`));
  });
});

describe("defineTool names a wrong or missing option", () => {
  const sound = { name: "t", description: "T.", input: z.object({}) };
  test.each([
    [{ permision: "ask" }, "Tool 't': `permision` is not an option; did you mean `permission`?"],
    [{ colour: "" }, /^Tool 't': `colour` is not an option; there are name, description, input, execute, /],
    [{ execute: "f" }, /^Tool 't': `execute` is "f"; expected a function, or nothing/],
    [{ description: undefined }, /^Tool 't': `description` is missing; expected a string/],
    [{ input: undefined }, "Tool 't': `input` is missing; expected a schema, such as z.object({ … })."],
    [
      { input: { a: z.string() } },
      /^Tool 't': `input` is an object; expected a schema and not the parts of one/,
    ],
    [{ input: z.string() }, /^Tool 't': `input` must be the schema of an object, not of string/],
    [{ name: undefined }, 'defineTool: `name` is missing; expected 1 to 64 letters, digits, "_" or "-".'],
  ])("%o", (fields, message) => {
    expect(() => defineTool({ ...sound, ...fields } as never)).toThrow(message);
  });

  test("defineTool accepts schemas that are composed of schemas", () => {
    const input = z.object({ list: z.array(z.string()), either: z.union([z.string(), z.number()]) });
    expect(() => defineTool({ ...sound, input })).not.toThrow();
    expect(() => defineTool({ ...sound, input: {} })).not.toThrow();
  });
});

test("subscribe() refuses a listener that is not a function", () => {
  expect(() => createAgent(base).subscribe(undefined as never)).toThrow(
    refusal("subscribe: the listener must be a function."),
  );
});

test("functions that read sessions refuse a value that is not a store", async () => {
  const says = (from: string) =>
    refusal(`${from}: \`store\` is missing; expected a SessionStore, such as fileStore({ dir }).`);
  await expect(openSession(undefined as never, "s")).rejects.toEqual(says("openSession"));
  expect(() => sessionManager({} as never)).toThrow(says("sessionManager"));
  const store = memoryStore();
  expect(() => sessionManager({ store, sessionId: "", components: [] })).toThrow(
    /`sessionId` is ""; expected a non-empty string/,
  );
  expect(() => sessionManager({ store, sessionId: "s" } as never)).toThrow(
    /`components` is missing; expected an array of agents/,
  );
});

test("toolResultMsg refuses results that are not a list", () => {
  expect(() => toolResultMsg("yes" as never)).toThrow(
    expect.objectContaining({
      code: "message/invalid",
      message: "toolResultMsg takes an array of { callId, name, text }.",
    }),
  );
});
