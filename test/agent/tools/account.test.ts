// The account of a call: attempts, changes, questions and decisions, as they happened.
import { reviveCalls } from "../../../machines/agent/updates/acting.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  accountLines,
  createAgent,
  defineTool,
  toolResultMsg,
  userMsg,
  type CallAccount,
  type Hook,
} from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { resultsOf, scripted, toolOf } from "../../support/agents.ts";

const HOOKS: readonly Hook[] = [
  { name: "a", preActing: ({ call: { input } }) => ({ input: { ...input, a: 1 } }) },
  { name: "same", preActing: ({ call: { input } }) => ({ input: { ...input } }) },
  { name: "b", preActing: ({ call: { input } }) => ({ input: { ...input, b: 2 } }) },
];

/** The account of the only call of a turn, whose arguments are `{ n: 1 }`. */
async function accountOf(
  config: Parameters<typeof createAgent>[0] extends infer C ? Partial<C> : never,
  decide?: (agent: ReturnType<typeof createAgent>) => Promise<unknown>,
): Promise<CallAccount | undefined> {
  const { agent } = scripted(
    [{ calls: [{ id: "c", name: "pay", input: { n: 1 } }] }, "done"],
    config as never,
  );
  await agent.call("go");
  if (decide) {
    await decide(agent);
    await agent.call();
  }
  const [result] = resultsOf(await agent.messages());
  return result?.account;
}

const pay = toolOf("pay", () => "paid");
const asking = { tools: [pay], permissions: { otherwise: "ask" as const } };
const at = expect.any(Number) as number;

describe("the account of a call", () => {
  test("there is none of a call that ran at once with the arguments that the model gave", async () => {
    expect(await accountOf({ tools: [pay] })).toBeUndefined();
  });

  test("it names each hook that has changed the arguments, with those after it", async () => {
    expect(await accountOf({ tools: [pay], hooks: HOOKS })).toEqual({
      changed: [
        { by: { hook: "a" }, at, input: { n: 1, a: 1 } },
        { by: { hook: "b" }, at, input: { n: 1, a: 1, b: 2 } },
      ],
    });
  });

  test("it is for people: no model sees it, and no hook of a prompt", async () => {
    const prompts: string[] = [];
    const saw: Hook = {
      name: "saw",
      preReasoning: ({ messages }) => void prompts.push(JSON.stringify(messages)),
    };
    const { agent, model } = scripted([{ calls: [{ id: "c", name: "pay", input: { n: 1 } }] }, "done"], {
      tools: [pay],
      hooks: [...HOOKS, saw],
    });
    await agent.call("go");
    expect(resultsOf(await agent.messages())[0]?.account).toBeDefined();
    const seen = [...prompts, ...model.requests.map(({ messages }) => JSON.stringify(messages))];
    expect(seen).toHaveLength(4);
    expect(seen.filter((text) => text.includes("account"))).toEqual([]);
  });

  test("it says what the schema has made of the arguments, and the names of presets", async () => {
    const typed = defineTool({
      name: "pay",
      description: "",
      input: z.object({ n: z.coerce.string(), note: z.string().default("none"), key: z.string() }),
      preset: { key: "k-123" },
      execute: () => "paid",
    });
    expect(await accountOf({ tools: [typed as never] })).toEqual({
      ran: { input: { n: "1", note: "none" }, presets: ["key"] },
    });
  });

  test("what JSON cannot say of the arguments is left out, and said to be", async () => {
    const odd = defineTool({
      name: "pay",
      description: "",
      input: z.object({ n: z.number().transform((n) => BigInt(n)) }),
      execute: () => "paid",
    });
    expect(await accountOf({ tools: [odd as never] })).toEqual({ ran: { omitted: 0 } });
  });

  test("long arguments are left out, with their size", async () => {
    const text = "x".repeat(10_000_000);
    const hooks: readonly Hook[] = [{ name: "long", preActing: () => ({ input: { text } }) }];
    const account = await accountOf({ tools: [pay], hooks });
    expect(account).toEqual({ changed: [{ by: { hook: "long" }, at, omitted: text.length + 11 }] });
  });

  test("it says why a person was asked, and who has decided what", async () => {
    const account = await accountOf(asking, (agent) => agent.decide("c", "approve", { by: "Ana" }));
    expect(account).toEqual({
      asked: [{ at, reason: expect.stringContaining("needs an approval") as string }],
      decided: [{ at, decision: "approve", by: "Ana" }],
    });
  });

  test.each(["<b>Ana</b>", "A".repeat(200)])("an edit has the name as it was given: %s", async (by) => {
    const account = await accountOf(asking, (agent) => agent.decide("c", { edit: { n: 500 } }, { by }));
    expect(account?.decided).toEqual([{ at, decision: "edit", by }]);
    expect(account?.changed).toEqual([{ by: { person: by }, at, input: { n: 500 } }]);
  });

  test("a denial and an answer of a person have no attempt", async () => {
    expect((await accountOf(asking, (agent) => agent.decide("c", { deny: "no" })))?.decided).toEqual([
      { at, decision: "deny" },
    ]);
    const answered = await accountOf(asking, (agent) => agent.decide("c", { answer: "done by hand" }));
    expect(answered?.decided).toEqual([{ at, decision: "answer" }]);
  });

  test("it keeps the error of each attempt that was repeated", async () => {
    let attempts = 0;
    const flaky = toolOf("pay", () => {
      if (++attempts < 3) throw new Error(`ETIMEDOUT ch_${attempts}`);
      return "paid";
    });
    const account = await accountOf({
      tools: [flaky],
      toolOptions: { execution: { maxAttempts: 3, initialBackoffMs: 1 } },
    });
    expect(account?.attempts).toHaveLength(2);
    expect(account?.attempts).toMatchObject([
      {
        attempt: 1,
        startedAt: at,
        endedAt: at,
        code: "tool/failed",
        error: expect.stringContaining("ch_1") as string,
      },
      {
        attempt: 2,
        startedAt: at,
        endedAt: at,
        code: "tool/failed",
        error: expect.stringContaining("ch_2") as string,
      },
    ]);
  });

  test("it names the hooks that changed the result, and not what they have hidden", async () => {
    const hide: Hook = {
      name: "hide",
      postActing: () => ({ result: { output: [{ type: "text", text: "***" }] } }),
    };
    const keep: Hook = { name: "keep", postActing: ({ result }) => ({ result: { output: result.output } }) };
    const account = await accountOf({ tools: [pay], hooks: [hide, keep] });
    expect(account).toEqual({ results: [{ by: { hook: "hide" }, at, state: "success" }] });
  });

  test("a denial by a hook keeps what hooks before it have changed", async () => {
    const deny: Hook = { name: "deny", preActing: () => ({ deny: "never" }) };
    const account = await accountOf({ tools: [pay], hooks: [HOOKS[0]!, deny] });
    expect(account).toEqual({
      changed: [{ by: { hook: "a" }, at, input: { n: 1, a: 1 } }],
      decided: [{ at, decision: "deny", hook: "deny" }],
    });
  });

  test("the account that comes with a result from outside is not believed", async () => {
    const { agent } = scripted([{ calls: [{ id: "c", name: "pay", input: { n: 1 } }] }, "done"], {
      tools: [toolOf("pay")],
    });
    await agent.call("go");
    const made = toolResultMsg([{ callId: "c", name: "pay", text: "paid" }]);
    const [block] = resultsOf([made]);
    const account: CallAccount = { decided: [{ at: 1, decision: "approve", by: "the boss" }] };
    await agent.call({ ...made, content: [{ ...block!, account }] });
    const [result] = resultsOf(await agent.messages());
    expect([result?.output, result?.account]).toEqual([block!.output, undefined]);
  });

  test("models do not read it", async () => {
    const { agent, model } = scripted([{ calls: [{ id: "c", name: "pay", input: { n: 1 } }] }, "done"], {
      tools: [pay],
      hooks: [...HOOKS],
    });
    await agent.call("go");
    expect(resultsOf(await agent.messages())[0]?.account).toBeDefined();
    expect(model.requests).toHaveLength(2);
  });
});

describe("the account of a message", () => {
  test("a message that a hook has added has its name, and is not the user's", async () => {
    let asked = false;
    const hook: Hook = {
      name: "checker",
      postReasoning: () => {
        if (asked) return {};
        asked = true;
        return { goto: [userMsg("check again")] };
      },
    };
    const agent = createAgent({ name: "bot", model: scriptedModel(["first", "second"]), hooks: [hook] });
    await agent.call("go");
    const messages = await agent.messages();
    expect(messages.map(({ addedBy }) => addedBy)).toEqual([undefined, undefined, "checker", undefined]);
  });

  test("an answer that hooks have changed has their names, and the reply of hooks at the end its own", async () => {
    const text =
      (content: string): NonNullable<Hook["postReasoning"]> =>
      ({ message }) => ({
        message: { ...message, content: [{ type: "text", text: content }] },
      });
    const agent = createAgent({
      name: "bot",
      model: scriptedModel(["raw"]),
      hooks: [
        { name: "tone", postReasoning: text("kind") },
        { name: "none", postReasoning: ({ message }) => ({ message: { ...message } }) },
        {
          name: "legal",
          postCall: ({ reply }) => ({ reply: { ...reply, content: [{ type: "text", text: "declined" }] } }),
        },
      ],
    });
    const reply = await agent.call("go");
    expect((await agent.messages()).at(-1)?.changedBy).toEqual(["tone"]);
    expect([reply.text, reply.changedBy]).toEqual(["declined", ["tone", "legal"]]);
  });

  test("an input that hooks have changed or extended says so", async () => {
    const hook: Hook = {
      name: "masker",
      preCall: ({ input }) => ({
        input: [
          ...input.map((message) => ({ ...message, content: [{ type: "text" as const, text: "masked" }] })),
          userMsg("context"),
        ],
      }),
    };
    const agent = createAgent({ name: "bot", model: scriptedModel(["ok"]), hooks: [hook] });
    await agent.call("my secret");
    const [first, second] = await agent.messages();
    expect([first?.changedBy, first?.addedBy]).toEqual([["masker"], undefined]);
    expect([second?.changedBy, second?.addedBy]).toEqual([undefined, "masker"]);
  });
});

test("an attempt whose process ended is there, without an end", () => {
  const record = {
    call: { id: "c", name: "pay" },
    status: "running",
    attempt: 2,
    since: 5,
    onRestart: "ask",
  };
  const { calls } = reviveCalls({ at: 9, calls: [record], progress: {} } as unknown as AgentContext);
  expect(calls[0]).toMatchObject({
    status: "unknown",
    account: { attempts: [{ attempt: 2, startedAt: 5, error: "Its process ended while it ran." }] },
  });
  expect(calls[0]?.account?.attempts?.[0]).not.toHaveProperty("endedAt");
});

test("lines say it in the order in which it happened", () => {
  const account: CallAccount = {
    results: [{ by: { hook: "x10" }, at: 9, state: "success" }],
    ran: { input: { n: 1250 }, presets: ["key"] },
    attempts: [{ attempt: 1, startedAt: 4, endedAt: 5, code: "tool/failed", error: "ETIMEDOUT" }],
    decided: [
      { at: 2, decision: "edit", by: "<b>Ana</b>", via: "operator" },
      { at: 2, decision: "approve", by: "inspector" },
      { at: 2, decision: "deny", hook: "freeze" },
    ],
    changed: [{ by: { person: "<b>Ana</b>" }, at: 3, input: { n: "12,50" } }],
    asked: [{ at: 1, reason: "over 100" }],
  };
  expect(accountLines(account)).toEqual([
    "asked: over 100",
    "approved with other arguments by <b>Ana</b>, from the operator, 1970-01-01T00:00:00.002Z",
    "approved in the inspector, 1970-01-01T00:00:00.002Z",
    "denied by the hook freeze, 1970-01-01T00:00:00.002Z",
    'arguments changed by <b>Ana</b>: {"n":"12,50"}',
    "attempt 1 failed: ETIMEDOUT",
    'ran with {"n":1250}',
    "ran with presets: key",
    "result changed by the hook x10",
  ]);
  const odd = { decided: [{ at: 1e20, decision: "postpone" }] } as unknown as CallAccount;
  expect(accountLines(account, (ms) => `at ${ms} ms`)).toContain("approved in the inspector, at 2 ms");
  expect(accountLines(odd)).toEqual(["decided by a person, at an unknown time"]);
  expect(accountLines(undefined)).toEqual([]);
});
