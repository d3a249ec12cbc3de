import { expect, test } from "vitest";
import { toolResultMsg } from "agentchart";
import { outputOf, resultsOf, scripted, toolOf } from "../../support/agents.ts";

const CALL = { calls: [{ id: "1", name: "outside" }] };
test("the placeholder with which the reply shows an open call is no result of it", async () => {
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
