import { describe, expect, test, vi } from "vitest";
import { userMsg, type Hook, type Msg } from "agentchart";
import { outputOf, resultsOf, scripted, toolOf } from "../../support/agents.ts";

const call = { calls: [{ id: "c1", name: "clerk" }] };
const said = { output: [{ type: "text" as const, text: "said" }] };

describe("a postActing hook that puts a text in place of another", () => {
  test.each([
    ["denied", "clerk", { state: "denied" }],
    ["unknown", "nobody", { state: "error", code: "tool/unknown" }],
    ["successful", "fine", { state: "success" }],
  ])("leaves the state and code of a %s call", async (_, name, expected) => {
    const { agent } = scripted([{ calls: [{ id: "c1", name }] }, "done"], {
      tools: [toolOf("clerk", () => "yes"), toolOf("fine", () => "yes")],
      permissions: { rules: [{ tool: "clerk", action: "deny" }] },
      hooks: [{ name: "says", postActing: () => ({ result: said }) }],
    });
    await agent.call("go");
    const [result] = resultsOf(await agent.messages());
    expect(result).toMatchObject(expected);
    expect([outputOf(result), result?.code]).toEqual(["said", (expected as { code?: string }).code]);
  });

  test("says a state of its own if it wants another", async () => {
    const { agent } = scripted([call, "done"], {
      hooks: [{ name: "says", postActing: () => ({ result: { ...said, state: "success" } }) }],
    });
    await agent.call("go");
    expect(resultsOf(await agent.messages())).toMatchObject([{ state: "success" }]);
    expect(resultsOf(await agent.messages())[0]).not.toHaveProperty("code");
  });
});

describe("a prompt that a hook has made", () => {
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
  ])("is refused with %s, before any model sees it (I2)", async (_, hook, problem) => {
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

  test("may be put right by the next hook", async () => {
    const mends: Hook = { name: "mends", preReasoning: () => ({ messages: [userMsg("all anew")] }) };
    const { agent } = scripted([call, "done"], {
      tools: [toolOf("clerk", () => "yes")],
      hooks: [cut("cuts", (all) => all.slice(-1)), mends],
    });
    expect((await agent.call("go")).text).toBe("done");
  });

  test("is taken as it is where the history was apart before", async () => {
    const { agent } = scripted(["done"], {
      recoverOrphans: false,
      messages: [
        {
          ...userMsg(""),
          role: "assistant",
          content: [{ type: "tool_use", id: "old", name: "clerk", input: {} }],
        },
      ],
      hooks: [{ name: "adds", preReasoning: () => ({ append: [userMsg("more")] }) }],
    });
    expect((await agent.call("go")).text).toBe("done");
  });
});

test("removeHook leaves a tool that has taken the name of the hook's own", async () => {
  const hook: Hook = { name: "brings", tools: [toolOf("clerk", () => "hook's")] };
  const { agent } = scripted([], { hooks: [hook] });
  agent.toolkit.remove("clerk");
  agent.toolkit.add(toolOf("clerk", () => "mine"));
  agent.removeHook("brings");
  expect(agent.toolkit.names()).toEqual(["clerk"]);
});

test("removeHook takes the hook's tool along, whatever presets it has got", async () => {
  const { agent } = scripted([], { hooks: [{ name: "brings", tools: [toolOf("clerk", () => "hook's")] }] });
  agent.toolkit.setPreset("clerk", { who: "me" });
  expect(agent.removeHook("brings")).toBe(true);
  expect(agent.toolkit.names()).toEqual([]);
});

test("a hook that is added to a closed agent is no noise on the console", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const { agent } = scripted([]);
  await agent.close();
  agent.addHook({ name: "late", preCall: () => {} });
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});
