// What hooks may return at each point, and what becomes of the rest.
import { describe, expect, test, vi } from "vitest";
import { userMsg, type Hook, type Msg } from "agentchart";
import { outputOf, resultsOf, scripted, toolOf } from "../../support/agents.ts";
import { historyProblem } from "../../support/history.ts";

const call = { calls: [{ id: "c1", name: "clerk" }] };
const said = { output: [{ type: "text" as const, text: "said" }] };

describe("a postActing hook that replaces the text of a result", () => {
  test.each([
    ["denied", "clerk", { state: "denied" }],
    ["unknown", "nobody", { state: "error", code: "tool/unknown" }],
    ["successful", "fine", { state: "success" }],
  ])(
    "a postActing hook that replaces a text keeps the state and code of a %s call",
    async (_, name, expected) => {
      const { agent } = scripted([{ calls: [{ id: "c1", name }] }, "done"], {
        tools: [toolOf("clerk", () => "yes"), toolOf("fine", () => "yes")],
        permissions: { rules: [{ tool: "clerk", action: "deny" }] },
        hooks: [{ name: "says", postActing: () => ({ result: said }) }],
      });
      await agent.call("go");
      const [result] = resultsOf(await agent.messages());
      expect(result).toMatchObject(expected);
      expect([outputOf(result), result?.code]).toEqual(["said", (expected as { code?: string }).code]);
    },
  );

  test("a postActing hook that returns a state changes the state of the result", async () => {
    const { agent } = scripted([call, "done"], {
      hooks: [{ name: "says", postActing: () => ({ result: { ...said, state: "success" } }) }],
    });
    await agent.call("go");
    expect(resultsOf(await agent.messages())).toMatchObject([{ state: "success" }]);
    expect(resultsOf(await agent.messages())[0]).not.toHaveProperty("code");
  });
});

describe("a hook that returns an unknown field fails the turn with hook/bad-return and stores none of it", () => {
  test.each<[keyof Hook, object, string]>([
    ["preCall", { sytem: "s" }, "`sytem` is not a field of it; did you mean `system`?"],
    ["preReasoning", { mesages: [] }, "`mesages` is not a field of it; did you mean `messages`?"],
    ["postReasoning", { deny: "no" }, "`deny` is not a field of it; there are message, stop, goto, slots"],
    ["preActing", { inputs: {} }, "`inputs` is not a field of it; did you mean `input`?"],
    ["postActing", { results: 1 }, "`results` is not a field of it; did you mean `result`?"],
    ["postCall", { replay: 1 }, "`replay` is not a field of it; did you mean `reply`?"],
  ])("%s: %j", async (point, returned, problem) => {
    const hook = { name: "typo", [point]: () => returned } as unknown as Hook;
    const { agent } = scripted([call, "done"], { tools: [toolOf("clerk", () => "yes")], hooks: [hook] });
    await expect(agent.call("go")).rejects.toMatchObject({
      code: "hook/bad-return",
      message: `Hook 'typo' returned from ${point}: ${problem}`,
    });
    expect(historyProblem(await agent.messages())).toBeUndefined();
  });

  test("preSummary and postSummary: an unknown field", async () => {
    for (const point of ["preSummary", "postSummary"] as const) {
      const hook = { name: "typo", [point]: () => ({ sumary: 1 }) } as unknown as Hook;
      const config = { tools: [toolOf("clerk", () => "yes")], hooks: [hook], maxIters: 1 };
      const { agent } = scripted([call, "in short"], config);
      await agent.call("go");
      expect(JSON.stringify(await agent.messages())).not.toContain("in short");
    }
  });

  test("an unknown field that is undefined is not a field", async () => {
    const hook = { name: "none", preCall: () => ({ sytem: undefined }) } as unknown as Hook;
    const { agent } = scripted(["done"], { hooks: [hook] });
    expect((await agent.call("go")).text).toBe("done");
  });
});

test("a hook that changes what it is given fails, and is told that it changes something by what it returns", async () => {
  const push: Hook["preReasoning"] = ({ messages }) => void (messages as Msg[]).push(userMsg("more"));
  const { agent } = scripted(["hi"], { hooks: [{ name: "pusher", preReasoning: push }] });
  await expect(agent.call("go")).rejects.toMatchObject({
    code: "hook/failed",
    message: expect.stringContaining("a hook changes something by what it returns."),
  });
});

describe("a prompt that a hook returns", () => {
  const cut = (name: string, kept: (messages: readonly Msg[]) => readonly Msg[]): Hook => ({
    name,
    preReasoning: ({ messages }) => (messages.length > 1 ? { messages: kept(messages) } : undefined),
  });

  test.each<[string, Hook, string]>([
    ["a result without its call", cut("cuts", (all) => all.slice(-1)), "the result of call 'c1' has no call"],
    ["a call without its result", cut("cuts", (all) => all.slice(0, -1)), "the call 'c1' has no result"],
    [
      "a word between the two",
      cut("cuts", (all) => [...all.slice(0, -1), userMsg("hm"), ...all.slice(-1)]),
      "the call 'c1' has no result",
    ],
  ])("a prompt of a hook with %s is refused before any model is asked (I2)", async (_, hook, problem) => {
    const { agent, model } = scripted([call, "done"], {
      tools: [toolOf("clerk", () => "yes")],
      hooks: [hook],
    });
    await expect(agent.call("go")).rejects.toMatchObject({
      code: "hook/bad-return",
      message: expect.stringContaining(`'cuts' returned from preReasoning: ${problem}`),
    });
    expect(model.requests).toHaveLength(1);
  });

  test("an invalid prompt of a hook can be corrected by the next hook", async () => {
    const mends: Hook = { name: "mends", preReasoning: () => ({ messages: [userMsg("all anew")] }) };
    const { agent } = scripted([call, "done"], {
      tools: [toolOf("clerk", () => "yes")],
      hooks: [cut("cuts", (all) => all.slice(-1)), mends],
    });
    expect((await agent.call("go")).text).toBe("done");
  });
});

test("removeHook keeps a tool of the agent that replaced the hook's tool of the same name", async () => {
  const hook: Hook = { name: "brings", tools: [toolOf("clerk", () => "hook's")] };
  const { agent } = scripted([], { hooks: [hook] });
  agent.toolkit.remove("clerk");
  agent.toolkit.add(toolOf("clerk", () => "mine"));
  agent.removeHook("brings");
  expect(agent.toolkit.names()).toEqual(["clerk"]);
});

test("removeHook removes the hook's tool, also if it has presets", async () => {
  const { agent } = scripted([], { hooks: [{ name: "brings", tools: [toolOf("clerk", () => "hook's")] }] });
  agent.toolkit.setPreset("clerk", { who: "me" });
  expect(agent.removeHook("brings")).toBe(true);
  expect(agent.toolkit.names()).toEqual([]);
});

test("a hook that is added to a closed agent prints no warning", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const { agent } = scripted([]);
  await agent.close();
  agent.addHook({ name: "late", preCall: () => {} });
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});
