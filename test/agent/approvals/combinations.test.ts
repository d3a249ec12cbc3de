// Batches in which rules deny, allow and ask at once, and approvals beside interrupts, hooks and structured answers.
import { describe, expect, test } from "vitest";
import {
  createToolkit,
  defineTool,
  textOf,
  toolResultMsg,
  userMsg,
  type Agent,
  type Msg,
  type Tool,
} from "agentchart";
import { z } from "zod";
import { outputOf, resultsOf, scripted, toolOf } from "../../support/agents.ts";

const output = z.object({ n: z.number() });
const given = (id: string, n: number) => ({
  id,
  name: "generate_response",
  input: { response: { n } },
});

/** What was said and what became of the calls, in order. */
function told(messages: readonly Msg[]): string[] {
  return messages.flatMap(({ role, content }) =>
    content.flatMap((block) => {
      if (block.type === "text") return [`${role}: ${block.text}`];
      return block.type === "tool_result" ? [`${block.id}: ${block.state}`] : [];
    }),
  );
}

test("messages of steer() and observe() before a suspension are stored behind the results, in this process or the next", async () => {
  const clerk = toolOf("clerk");
  const work = toolOf("work", async () => {
    agent.steer("hurry");
    await agent.observe(userMsg("fyi"));
    return "done";
  });
  const both = {
    calls: [
      { id: "a", name: "work" },
      { id: "b", name: "clerk" },
    ],
  };
  const { agent } = scripted([both], { tools: [work, clerk] });
  expect((await agent.call("go")).reason).toBe("TOOL_SUSPENDED");
  const snapshot = JSON.parse(JSON.stringify(agent.snapshot()));
  const { agent: next } = scripted(["end"], { tools: [work, clerk], sessionOptions: { snapshot } });
  await next.call(toolResultMsg([{ callId: "b", name: "clerk", text: "yes" }]));
  expect(told(await next.messages())).toEqual([
    "user: go",
    "a: success",
    "b: success",
    "user: fyi",
    "user: hurry",
    "assistant: end",
  ]);
});

describe("a batch of which rules deny, allow and ask", () => {
  const ran: string[] = [];
  const tool = (name: string): Tool => toolOf(name, () => (ran.push(name), name));
  const number = defineTool({
    name: "number",
    description: "",
    input: z.object({ n: z.number() }),
    execute: () => (ran.push("number"), "ok"),
  });
  const turn = {
    calls: [
      { id: "denied", name: "no" },
      { id: "allowed", name: "yes" },
      { id: "asked", name: "pay" },
      { id: "meta", name: "reset_equipped_tools", input: { to_activate: ["web"] } },
      { id: "hooks", name: "brought" },
      { id: "edited", name: "number", input: { n: 1 } },
      { id: "wrong", name: "number", input: { n: "x" } },
    ],
  };

  test("a batch with denied, allowed and asked calls asks about the asked ones, and runs none before all are decided", async () => {
    ran.length = 0;
    const { agent } = scripted([turn, "end"], {
      toolkit: createToolkit({
        metaTool: true,
        groups: [{ name: "web", active: false }],
        tools: [tool("no"), tool("yes"), tool("pay"), number as Tool],
      }),
      hooks: [{ name: "brings", tools: [tool("brought")] }],
      permissions: {
        rules: [
          { tool: "no", action: "deny" },
          { tool: "yes", action: "allow" },
        ],
        otherwise: "ask",
      },
    });
    const asked = await agent.call("go");
    expect(asked.pending.map(({ callId }) => callId)).toEqual(["asked", "meta", "hooks", "edited"]);
    expect(asked.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []))).toEqual(
      turn.calls.map(({ id }) => id),
    );
    await expect(agent.decide("edited", { edit: { n: "x" } })).rejects.toMatchObject({
      code: "run/bad-decision",
    });
    await agent.decide("edited", { deny: "no number" });
    await agent.decide("hooks", "approve");
    await agent.decide("meta", "approve");
    await expect(agent.call()).rejects.toMatchObject({ code: "run/undecided" });
    expect([ran, agent.toolkit.activeGroups()]).toEqual([[], []]);
    expect(await agent.decide("asked", { deny: "too much" })).toEqual([]);
    expect((await agent.call()).text).toBe("end");
    expect([ran, agent.toolkit.activeGroups()]).toEqual([["yes", "brought"], ["web"]]);
    expect(told(await agent.messages()).slice(1, -1)).toEqual([
      "denied: denied",
      "allowed: success",
      "asked: denied",
      "meta: success",
      "hooks: success",
      "edited: denied",
      "wrong: error",
    ]);
  });

  test("a batch with one approved and one expired call runs the approved one", async () => {
    ran.length = 0;
    let now = 1_000;
    const two = {
      calls: [
        { id: "a", name: "pay" },
        { id: "b", name: "pay" },
      ],
    };
    const { agent } = scripted([two, "end"], {
      sessionOptions: { now: () => now },
      tools: [tool("pay")],
      permissions: { otherwise: "ask", expiresAfterMs: 100 },
    });
    await agent.call("go");
    await agent.decide("a", "approve");
    now += 200;
    await expect(agent.decide("b", "approve")).rejects.toMatchObject({ code: "run/stale-decision" });
    await agent.call();
    expect(ran).toEqual(["pay"]);
    expect(told(await agent.messages())).toContain("b: denied");
  });

  test("a batch with one call that a person answers runs the others, and waits for those still open", async () => {
    ran.length = 0;
    const three = {
      calls: [
        { id: "a", name: "pay" },
        { id: "b", name: "clerk" },
        { id: "c", name: "yes" },
      ],
    };
    const { agent } = scripted([three, "end"], {
      tools: [
        toolOf("pay", () => (ran.push("pay"), ""), { permission: "ask" }),
        toolOf("clerk"),
        tool("yes"),
      ],
    });
    await agent.call("go");
    await agent.decide("a", { answer: "paid by me" });
    expect((await agent.call()).pending).toMatchObject([{ callId: "b", waitsFor: "externalResult" }]);
    await agent.decide("b", { answer: "said by me" });
    expect((await agent.call()).text).toBe("end");
    expect(ran).toEqual(["yes"]);
    expect(resultsOf(await agent.messages()).map(outputOf)).toEqual(["paid by me", "said by me", "yes"]);
  });
});

describe("a decision is kept when the turn ends before call() continues it", () => {
  const asking = () =>
    scripted([{ calls: ["a", "b", "c"].map((id) => ({ id, name: "pay" })) }, "end"], {
      tools: [toolOf("pay", () => "paid", { permission: "ask" })],
      turnOptions: { onTextWhilePending: "cancelPending" },
    });
  const decided = async (agent: Agent): Promise<void> => {
    await agent.call("go");
    await agent.decide("a", { answer: "paid by me" });
    await agent.decide("b", { deny: "too much" });
    await agent.decide("c", "approve");
  };
  const said = ["paid by me", "Permission denied by user: too much"];

  test("a decision is kept when an interrupt ends the turn", async () => {
    const { agent } = asking();
    const interrupted: string[] = [];
    agent.addHook({
      name: "heard",
      onInterrupt: ({ pending }) => void interrupted.push(...pending.map(({ callId }) => callId)),
    });
    await decided(agent);
    expect(agent.interrupt()).toBe(true);
    await expect.poll(() => agent.status().phase).toBe("stopped");
    const results = resultsOf(await agent.messages());
    expect(results.map(({ state }) => state)).toEqual(["success", "denied", "interrupted"]);
    expect(results.map(outputOf).slice(0, 2)).toEqual(said);
    expect(interrupted).toEqual(["c"]);
  });

  test("a decision is kept when text cancels the open calls", async () => {
    const { agent, model } = asking();
    await decided(agent);
    expect((await agent.call("Never mind.")).text).toBe("end");
    const results = resultsOf(await agent.messages());
    expect(results.map(outputOf).slice(0, 2)).toEqual(said);
    expect(results[2]).toMatchObject({ code: "tool/outcome-unknown" });
    expect(model.requests).toHaveLength(2);
  });
});

test("an approved call whose tool was removed has the result tool/unknown", async () => {
  const { agent } = scripted([{ calls: [{ id: "a", name: "pay" }] }, "end"], {
    tools: [toolOf("pay", () => "paid", { permission: "ask" })],
  });
  await agent.call("go");
  agent.toolkit.remove("pay");
  await agent.decide("a", "approve");
  expect((await agent.call()).text).toBe("end");
  expect(resultsOf(await agent.messages())).toMatchObject([{ code: "tool/unknown" }]);
});

describe("a requested structured output", () => {
  test("a structured output is requested again after a goto brought its result", async () => {
    let asked = 0;
    const better = [
      toolResultMsg([{ callId: "g", name: "generate_response", text: "no" }]),
      userMsg("better"),
    ];
    const { agent } = scripted([{ calls: [given("g", 1)] }, { calls: [given("h", 2)] }], {
      hooks: [{ name: "picky", postReasoning: () => (asked++ === 0 ? { goto: better } : undefined) }],
    });
    expect((await agent.call("go", { output })).output).toEqual({ n: 2 });
    expect(told(await agent.messages())).toEqual(["user: go", "user: better", 'assistant: {"n":2}']);
  });

  test("a model is still reminded of the structured output after the budget for it is extended", async () => {
    const { agent, model } = scripted(["talk", { calls: [given("g", 2)] }], { budget: { modelCalls: 1 } });
    expect((await agent.call("go", { output })).reason).toBe("BUDGET_EXCEEDED");
    await agent.extendBudget({ modelCalls: 1 });
    expect(await agent.call()).toMatchObject({ reason: "STRUCTURED_OUTPUT", output: { n: 2 } });
    expect(model.requests[1]!.options.toolChoice).toEqual({ name: "generate_response" });
  });

  test("an interrupted turn ends its request for structured output: the next turn has none", async () => {
    const work = toolOf("work", () => (agent.interrupt("no"), "done"));
    const turn = { calls: [given("g", 2), { id: "w", name: "work" }] };
    const { agent, model } = scripted([turn, "plain"], { tools: [work] });
    expect(await agent.call("go", { output })).toMatchObject({ reason: "INTERRUPTED", output: undefined });
    expect((await agent.call("and?")).text).toBe("plain");
    expect(model.requests[1]!.tools.map(({ name }) => name)).toEqual(["work"]);
  });
});

test.each([
  ["length", "cut off at the length limit"],
  ["content_filter", "cut off by the content filter"],
])("no call of an answer that ended by %s runs, not even the complete ones", async (finish, words) => {
  let ran = 0;
  const cut = {
    calls: [
      { id: "a", name: "t", input: { whole: true } },
      { id: "b", name: "t" },
    ],
    finish,
  };
  const { agent } = scripted([cut as never, "end"], {
    tools: [toolOf("t", () => (ran++, "x"))],
    hooks: [{ name: "sees", preActing: () => void ran++ }],
  });
  expect(textOf(await agent.call("go"))).toBe("end");
  expect(ran).toBe(0);
  expect(resultsOf(await agent.messages()).map(outputOf)).toEqual([
    expect.stringContaining(words),
    expect.stringContaining(words),
  ]);
});
