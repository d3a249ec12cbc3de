// Prompts that no model can be asked are refused before it is asked.
import { describe, expect, test } from "vitest";
import { assistantMsg, toolResultMsg, userMsg, type Hook, type Msg } from "agentchart";
import { outputOf, resultsOf, scripted, toolOf } from "../../support/agents.ts";

const CALL = { calls: [{ id: "1", name: "outside" }] };
const ORPHANED: readonly Msg[] = [
  userMsg("u"),
  assistantMsg("", { content: [{ type: "tool_use", id: "q", name: "t", input: {} }] }),
];

describe("what no model can be asked is refused before it is asked", () => {
  test("a call without input on an empty session", async () => {
    const { agent, model } = scripted(["hello"]);
    await expect(agent.call()).rejects.toMatchObject({ code: "message/invalid" });
    expect([model.requests.length, agent.status().phase]).toEqual([0, "stopped"]);
    expect((await agent.call("hi")).text).toBe("hello");
  });

  test("a history with a call without a result, if recoverOrphans is false", async () => {
    const { agent, model } = scripted(["hello"], {
      turnOptions: { recoverOrphans: false },
      messages: ORPHANED,
    });
    await expect(agent.call("go")).rejects.toMatchObject({
      code: "run/pending",
      message: expect.stringContaining("[q]"),
    });
    expect([model.requests.length, (await agent.messages()).length]).toEqual([0, 2]);
  });

  test("no history whose calls have their results, if recoverOrphans is false", async () => {
    const messages = [...ORPHANED, toolResultMsg([{ callId: "q", name: "t", text: "r" }])];
    const { agent } = scripted(["hello"], { turnOptions: { recoverOrphans: false }, messages });
    expect((await agent.call("go")).text).toBe("hello");
  });

  test("hooks of onError hear of it", async () => {
    const heard: string[] = [];
    const hook: Hook = { name: "h", onError: ({ error }) => void heard.push(error.code) };
    const { agent } = scripted([], { hooks: [hook] });
    await expect(agent.call()).rejects.toMatchObject({ code: "message/invalid" });
    expect(heard).toEqual(["message/invalid"]);
  });
});

test("the placeholder with which the reply shows an open call is not a result of it", async () => {
  const { agent } = scripted([CALL, "done"], { tools: [toolOf("outside")] });
  const reply = await agent.call("go");
  const [shown] = reply.content.filter((block) => block.type === "tool_result");
  const echo = { ...toolResultMsg([{ callId: "1", name: "outside", text: "" }]), content: [shown!] };
  await expect(agent.call(echo)).rejects.toMatchObject({ code: "run/bad-results" });
  expect(agent.status()).toMatchObject({ phase: "suspended", pending: [{ callId: "1" }] });
  expect((await agent.call(toolResultMsg([{ callId: "1", name: "outside", text: "r" }]))).text).toBe("done");
  expect(outputOf(resultsOf(await agent.messages())[0])).toBe("r");
});

test("a goto with a result that no call asks for is a wrong return value", async () => {
  const goto = [toolResultMsg([{ callId: "zz", name: "t", text: "lost" }])];
  const { agent } = scripted(["1", "2"], { hooks: [{ name: "g", postReasoning: () => ({ goto }) }] });
  await expect(agent.call("go")).rejects.toMatchObject({
    code: "hook/bad-return",
    message: expect.stringContaining("'zz'"),
  });
});

test("the answer with which hooks exceed maxGotos stays in the history", async () => {
  const hook: Hook = { name: "g", postReasoning: () => ({ goto: [userMsg("again")] }) };
  const { agent } = scripted(["1", "2"], { hooks: [hook], turnOptions: { maxGotos: 1 } });
  await expect(agent.call("go")).rejects.toMatchObject({ code: "hook/goto-limit" });
  const texts = (await agent.messages()).map(({ content }) => (content[0] as { text: string }).text);
  expect(texts).toEqual(["go", "1", "again", "2"]);
  expect((await agent.messages()).at(-1)).not.toHaveProperty("reason");
});

test("a listener of turn.start can interrupt the turn and speak into it", async () => {
  const { agent, model } = scripted(["answer"]);
  const seen: unknown[] = [];
  agent.subscribe(() => seen.push(agent.status().phase, agent.steer("word"), agent.interrupt("stop")), {
    types: ["turn.start"],
  });
  expect((await agent.call("go")).reason).toBe("INTERRUPTED");
  expect(seen).toEqual(["running", true, true]);
  expect(model.requests.length).toBeLessThanOrEqual(1);
  const history = JSON.stringify(await agent.messages());
  expect([history.includes("word"), history.includes("stop")]).toEqual([true, true]);
});
