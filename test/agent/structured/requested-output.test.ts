// Structured answers that a single call asks for.
import { describe, expect, test } from "vitest";
import { toolResultMsg } from "agentchart";
import { z } from "zod";
import { scripted, toolOf } from "../../support/agents.ts";

const output = z.object({ n: z.number() });
const clerk = { calls: [{ id: "c1", name: "clerk" }] };
const given = { calls: [{ id: "g", name: "generate_response", input: { response: { n: 1 } } }] };
const answer = toolResultMsg([{ callId: "c1", name: "clerk", text: "yes" }]);

describe("the structured output that a call requests", () => {
  test("a refused call with an output schema leaves a plain turn without structured output", async () => {
    const { agent } = scripted([clerk, "plain"], { tools: [toolOf("clerk")] });
    await agent.call("go");
    await expect(agent.call("and?", { output })).rejects.toMatchObject({ code: "run/pending" });
    expect(await agent.call(answer)).toMatchObject({ text: "plain", reason: "MODEL_STOP" });
  });

  test("a refused call does not cancel the structured output of the turn", async () => {
    const { agent } = scripted([clerk, given], { tools: [toolOf("clerk")] });
    await agent.call("go", { output });
    await expect(agent.call("and?", { output: z.string() })).rejects.toMatchObject({ code: "run/pending" });
    expect((await agent.call(answer)).reason).toBe("STRUCTURED_OUTPUT");
  });

  test("text that cancels the open calls begins a turn without the structured output of the old one", async () => {
    const tools = [toolOf("clerk")];
    const { agent, model } = scripted([clerk, "plain"], {
      tools,
      turnOptions: { onTextWhilePending: "cancelPending" },
    });
    await agent.call("go", { output });
    expect(await agent.call("never mind")).toMatchObject({ text: "plain", reason: "MODEL_STOP" });
    expect(model.requests[1]!.tools.map(({ name }) => name)).toEqual(["clerk"]);
  });

  test("a stopped turn that continues without input still requires its structured output; the next turn does not", async () => {
    let stops = 1;
    const { agent } = scripted([clerk, given, "plain"], {
      tools: [toolOf("clerk", () => "yes")],
      hooks: [{ name: "once", postActing: () => ({ stop: stops-- > 0 }) }],
    });
    expect((await agent.call("go", { output })).reason).toBe("ACTING_STOP_REQUESTED");
    expect((await agent.call()).reason).toBe("STRUCTURED_OUTPUT");
    expect((await agent.call("thanks")).text).toBe("plain");
  });

  test("a new turn after a stopped one does not require its structured output", async () => {
    let stops = 1;
    const { agent } = scripted([clerk, "plain"], {
      tools: [toolOf("clerk", () => "yes")],
      hooks: [{ name: "once", postActing: () => ({ stop: stops-- > 0 }) }],
    });
    await agent.call("go", { output });
    expect(await agent.call("something else")).toMatchObject({ text: "plain", reason: "MODEL_STOP" });
  });

  test("a turn that a hook stops after its structured output was complete returns that output", async () => {
    const stop = { name: "always", postActing: () => ({ stop: true }) };
    const { agent, model } = scripted([given], { hooks: [stop] });
    expect((await agent.call("go", { output })).reason).toBe("ACTING_STOP_REQUESTED");
    expect(await agent.call()).toMatchObject({ reason: "STRUCTURED_OUTPUT", output: { n: 1 } });
    expect(model.requests).toHaveLength(1);
  });
});
