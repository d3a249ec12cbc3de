// Turns that a hook or a result stops.
import { expect, test } from "vitest";
import { suspend, toolResultsOf, type Hook, type Msg } from "agentchart";
import { outputOf, resultsOf, scripted, toolOf } from "../../support/agents.ts";
import { call, show } from "../../support/trace.ts";

const tools = [toolOf("ok", () => "done"), toolOf("wait", () => suspend("later"))];
const stopAt = (id: string): Hook => ({ name: "stops", postActing: (e) => ({ stop: e.call.id === id }) });
const reasons = (messages: readonly Msg[]): (string | undefined)[] =>
  messages.filter((message) => toolResultsOf(message).length > 0).map(({ reason }) => reason);

test.each(["c1", "c3"])(
  "a turn stopped on result %s stores its reply with the reason as the last message",
  async (id) => {
    const turn = { calls: [call("c1"), call("c2", "wait"), call("c3")] };
    const { agent } = scripted([turn, "end"], { tools, hooks: [stopAt(id)] });
    const reply = await agent.call("go");
    const stored = await agent.messages();
    expect(reasons(stored)).toEqual([undefined, "ACTING_STOP_REQUESTED"]);
    expect(stored.at(-1)).toMatchObject({ id: reply.id, reason: reply.reason });
  },
);

test("an interrupted batch that a hook had stopped reports the interrupt and not the stop", async () => {
  const hook: Hook = { name: "stops", postActing: () => (agent.interrupt(), { stop: true }) };
  const { agent } = scripted([{ calls: [call("c1")] }], { tools, hooks: [hook] });
  expect((await agent.call("go")).reason).toBe("INTERRUPTED");
  expect(reasons(await agent.messages())).toEqual([undefined]);
});

test("calls of a cut-off answer are not pending when a hook stops the turn", async () => {
  const cut = { text: "t", calls: [call("c1"), call("c2")], finish: "length" } as const;
  const { agent } = scripted([cut, "end"], {
    tools,
    turnOptions: { stopWhen: (message) => message.content.length > 1 },
  });
  const reply = await agent.call("go");
  expect(show(reply)).toBe("A[t,c1,c2]");
  expect([reply.reason, agent.status().phase]).toEqual(["REASONING_STOP_REQUESTED", "stopped"]);
  expect(resultsOf(await agent.messages()).map(outputOf)).toEqual([
    expect.stringContaining("cut off"),
    expect.stringContaining("cut off"),
  ]);
  expect((await agent.call()).turn.iterations).toBe(2);
  expect((await agent.messages()).map(show)).toEqual(["U[go]", "A[t,c1,c2]", "T(c1)", "T(c2)", "A[end]"]);
});

test("a summary that has only thinking counts as empty", async () => {
  const { agent } = scripted([{ calls: [call("c1")] }, { thinking: "hm" }], { tools, maxIters: 1 });
  const reply = await agent.call("go");
  expect(reply).toMatchObject({ reason: "MAX_ITERATIONS", text: expect.stringContaining("an empty answer") });
  expect((await agent.messages()).at(-1)?.content.map(({ type }) => type)).toEqual(["text"]);
});
