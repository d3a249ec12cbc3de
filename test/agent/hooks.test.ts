import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineHook, defineTool, userMsg } from "agentchart";
import type { ScriptedTurn } from "agentchart/testing";
import { scripted } from "../support/agents.ts";
import { call, show, traced } from "../support/trace.ts";

describe("hooks", () => {
  test("rewrite the prompt of one call only, and the edit is no list in context (S1, F7)", async () => {
    const { agent, model } = traced(["one", "two"], {
      hooks: [
        {
          name: "p",
          preReasoning: ({ turn }) =>
            turn === 1 ? { append: [userMsg("extra")], system: "other" } : undefined,
        },
      ],
    });
    await agent.call("a");
    await agent.call("b");
    expect(model.requests[0]?.messages.map(show)).toEqual(["S[other]", "U[a]", "U[extra]"]);
    expect(model.requests[1]?.messages.map(show)).toEqual(["S[sys]", "U[a]", "A[one]", "U[b]"]);
  });

  test("may deny a call, rewrite its input and its result", async () => {
    const seen: unknown[] = [];
    const tool = defineTool({
      name: "t",
      description: "",
      input: z.object({ q: z.string() }),
      execute: ({ q }) => `raw ${seen.push(q)}`,
    });
    const { agent } = scripted(
      [
        {
          calls: [
            { id: "c1", name: "t", input: { q: "a" } },
            { id: "c2", name: "t", input: { q: "b" } },
          ],
        },
        "ok",
      ],
      {
        tools: [tool],
        hooks: [
          defineHook({
            name: "h",
            preActing: ({ call: { id } }) =>
              id === "c1" ? { input: { q: "changed" } } : { deny: "not today" },
            postActing: ({ result }) =>
              result.state === "success"
                ? { result: { output: [{ type: "text", text: "hooked" }] } }
                : undefined,
          }),
        ],
      },
    );
    await agent.call("go");
    expect(seen).toEqual(["changed"]);
    const results = (await agent.messages()).flatMap(({ content }) =>
      content.filter((block) => block.type === "tool_result"),
    );
    expect(results.map(({ state, output }) => [state, output[0]])).toEqual([
      ["success", { type: "text", text: "hooked" }],
      ["denied", { type: "text", text: "not today" }],
    ]);
  });

  test.each([1, 2])("a stop on result %i of two is honoured (F1)", async (which) => {
    const { agent } = traced([{ calls: [call("c1"), call("c2")] }, "went on"], {
      hooks: [{ name: "s", postActing: ({ call: { id } }) => ({ stop: id === `c${which}` }) }],
    });
    expect((await agent.call("go")).reason).toBe("ACTING_STOP_REQUESTED");
    const next = await agent.call();
    expect(next).toMatchObject({ text: "went on", turn: { iterations: 2 } });
  });

  test("a goto beyond the cap fails the turn with hook/goto-limit (F5)", async () => {
    const { agent } = traced(["1", "2", "3"], {
      maxGotos: 2,
      hooks: [{ name: "g", postReasoning: () => ({ goto: [] }) }],
    });
    await expect(agent.call("go")).rejects.toMatchObject({ code: "hook/goto-limit" });
  });

  test("that return nonsense fail the turn with hook/bad-return", async () => {
    const { agent } = traced(["1"], { hooks: [{ name: "g", postReasoning: (() => "yes") as never }] });
    await expect(agent.call("go")).rejects.toMatchObject({
      code: "hook/bad-return",
      message: expect.stringContaining("'g'"),
    });
  });

  test.each<[string, unknown]>([
    ["a bigint", 10n],
    ["a function", () => 1],
    ["a list", []],
    ["a stop of a bigint", { stop: 10n }],
    ["a stop that holds itself", { stop: Object.assign([], { 0: [] }) }],
  ])("that return %s as well", async (_, nonsense) => {
    const { agent } = traced(["1"], { hooks: [{ name: "g", postReasoning: (() => nonsense) as never }] });
    await expect(agent.call("go")).rejects.toMatchObject({ code: "hook/bad-return" });
  });

  test("may not put into options or arguments what is no JSON", async () => {
    const round: { self?: unknown } = {};
    round.self = round;
    for (const [point, patch] of [
      ["preReasoning", { options: { extraBody: round } }],
      ["preReasoning", { options: { seed: 1n } }],
      ["preActing", { input: round }],
    ] as const) {
      const { agent } = traced([{ calls: [call("c1")] }, "2"], {
        hooks: [{ name: "g", [point]: () => patch } as never],
      });
      await expect(agent.call("go")).rejects.toMatchObject({ code: "hook/bad-return" });
    }
  });

  test.each(["high", Number.NaN, null])("need a priority that is a number, not %s", (priority) => {
    const hook = { name: "odd", priority: priority as number };
    const odd = { code: "config/invalid", message: expect.stringContaining("`priority` of hook 'odd'") };
    expect(() => scripted([], { hooks: [hook] })).toThrow(expect.objectContaining(odd));
    expect(() => scripted([]).agent.addHook(hook)).toThrow(expect.objectContaining(odd));
  });

  test("can be added and removed while the agent lives", async () => {
    const { agent } = scripted(["a", "b", "c"]);
    let heard = 0;
    agent.addHook({ name: "late", postCall: () => void heard++ });
    await agent.call("1");
    expect(agent.removeHook("late")).toBe(true);
    await agent.call("2");
    expect([heard, agent.removeHook("late")]).toEqual([1, false]);
  });
});

describe("approval", () => {
  const setup = (turns: readonly ScriptedTurn[]) => {
    const ran: string[] = [];
    const tool = (name: string) =>
      defineTool({
        name,
        description: "",
        input: z.object({ n: z.number() }),
        execute: ({ n }) => `ok ${ran.push(`${name}${n}`)}`,
      });
    const { agent } = scripted(turns, {
      tools: [tool("pay"), tool("look")],
      permissions: {
        rules: [
          { tool: "pay", action: "ask", reason: "money" },
          { tool: "pay", action: "deny", when: ({ n }) => Number(n) > 100 },
        ],
      },
    });
    return { agent, ran };
  };
  const batch: ScriptedTurn = {
    calls: [
      { id: "p", name: "pay", input: { n: 5 } },
      { id: "l", name: "look", input: { n: 1 } },
    ],
  };

  test("nothing of the batch runs before the decision; then each runs once", async () => {
    const { agent, ran } = setup([batch, "done"]);
    const reply = await agent.call("go");
    expect([reply.reason, ran]).toEqual(["APPROVAL_REQUIRED", []]);
    expect(reply.pending).toMatchObject([{ callId: "p", waitsFor: "approval", reason: "money" }]);
    await expect(agent.call()).rejects.toMatchObject({ code: "run/undecided" });
    expect(await agent.decide("p", "approve", { argsHash: reply.pending[0]!.argsHash })).toEqual([]);
    expect((await agent.call()).text).toBe("done");
    expect(ran).toEqual(["pay5", "look1"]);
  });

  test("an edit is validated again and deny rules still hold", async () => {
    const { agent, ran } = setup([batch, "done"]);
    await agent.call("go");
    await agent.decide("p", { edit: { n: 500 } });
    await agent.call();
    expect(ran).toEqual(["look1"]);
    const denied = (await agent.messages())[2]?.content[0];
    expect(denied).toMatchObject({ id: "p", state: "denied" });
  });

  test("that nobody gave in time is a denial, judged by the next event", async () => {
    let now = 1_000;
    const { agent } = scripted([batch, "done"], {
      now: () => now,
      tools: [defineTool({ name: "pay", description: "", input: { type: "object" }, execute: () => "paid" })],
      permissions: { rules: [{ tool: "pay", action: "ask" }], expiresAfterMs: 500 },
    });
    const reply = await agent.call("go");
    expect(reply.pending).toMatchObject([{ callId: "p", expiresAt: expect.any(Number) }]);
    now += 10_000;
    await expect(agent.decide("p", "approve")).rejects.toMatchObject({ code: "run/stale-decision" });
    expect((await agent.call()).text).toBe("done");
    expect((await agent.messages())[2]?.content[0]).toMatchObject({ id: "p", state: "denied" });
  });

  test("cannot be gone round by a hook that adds or rewrites a call (I7)", async () => {
    const { agent, ran } = setup(["nothing to do", "done"]);
    agent.addHook({
      name: "smuggler",
      postReasoning: ({ message, iteration }) =>
        iteration === 0
          ? {
              message: { ...message, content: [{ type: "tool_use", id: "x", name: "pay", input: { n: 1 } }] },
            }
          : undefined,
      preActing: () => ({ input: { n: 2 } }),
    });
    const reply = await agent.call("go");
    expect([reply.reason, reply.pending[0]?.input, ran]).toEqual(["APPROVAL_REQUIRED", { n: 2 }, []]);
    await agent.decide("x", "approve");
    await agent.call();
    expect(ran).toEqual(["pay2"]);
  });

  test("a stale hash is refused; a remembered approval holds for the next call", async () => {
    const { agent, ran } = setup([batch, { calls: [{ name: "pay", input: { n: 7 } }] }, "done"]);
    await agent.call("go");
    await expect(agent.decide("p", "approve", { argsHash: "other" })).rejects.toMatchObject({
      code: "run/stale-decision",
    });
    await agent.decide("p", { approve: true, remember: "tool" });
    expect((await agent.call()).text).toBe("done");
    expect(ran).toEqual(["pay5", "look1", "pay7"]);
  });
});
