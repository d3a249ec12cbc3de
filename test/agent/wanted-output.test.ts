import { describe, expect, test } from "vitest";
import { toolResultMsg } from "agentchart";
import { z } from "zod";
import { scripted, toolOf } from "../support/agents.ts";

const output = z.object({ n: z.number() });
const clerk = { calls: [{ id: "c1", name: "clerk" }] };
const given = { calls: [{ id: "g", name: "generate_response", input: { response: { n: 1 } } }] };
const answer = toolResultMsg([{ callId: "c1", name: "clerk", text: "yes" }]);

describe("the structured answer that a call asks for", () => {
  test("is wanted by the call that was accepted: a refused one leaves a plain turn plain", async () => {
    const { agent } = scripted([clerk, "plain"], { tools: [toolOf("clerk")] });
    await agent.call("go");
    await expect(agent.call("and?", { output })).rejects.toMatchObject({ code: "run/pending" });
    expect(await agent.call(answer)).toMatchObject({ text: "plain", reason: "MODEL_STOP" });
  });

  test("stays wanted when a call in between was refused", async () => {
    const { agent } = scripted([clerk, given], { tools: [toolOf("clerk")] });
    await agent.call("go", { output });
    await expect(agent.call("and?", { output: z.string() })).rejects.toMatchObject({ code: "run/pending" });
    expect((await agent.call(answer)).reason).toBe("STRUCTURED_OUTPUT");
  });

  test("goes with its turn: text that cancels the open calls begins a plain one", async () => {
    const tools = [toolOf("clerk")];
    const { agent, model } = scripted([clerk, "plain"], { tools, onTextWhilePending: "cancelPending" });
    await agent.call("go", { output });
    expect(await agent.call("never mind")).toMatchObject({ text: "plain", reason: "MODEL_STOP" });
    expect(model.requests[1]!.tools.map(({ name }) => name)).toEqual(["clerk"]);
  });

  test("is still wanted when a stopped turn goes on without input, and not by the turn after", async () => {
    let stops = 1;
    const { agent } = scripted([clerk, given, "plain"], {
      tools: [toolOf("clerk", () => "yes")],
      hooks: [{ name: "once", postActing: () => ({ stop: stops-- > 0 }) }],
    });
    expect((await agent.call("go", { output })).reason).toBe("ACTING_STOP_REQUESTED");
    expect((await agent.call()).reason).toBe("STRUCTURED_OUTPUT");
    expect((await agent.call("thanks")).text).toBe("plain");
  });

  test("is dropped by a new turn after a stopped one", async () => {
    let stops = 1;
    const { agent } = scripted([clerk, "plain"], {
      tools: [toolOf("clerk", () => "yes")],
      hooks: [{ name: "once", postActing: () => ({ stop: stops-- > 0 }) }],
    });
    await agent.call("go", { output });
    expect(await agent.call("something else")).toMatchObject({ text: "plain", reason: "MODEL_STOP" });
  });

  test("is given by the stopped turn itself if it was complete when a hook stopped it", async () => {
    const stop = { name: "always", postActing: () => ({ stop: true }) };
    const { agent, model } = scripted([given], { hooks: [stop] });
    expect((await agent.call("go", { output })).reason).toBe("ACTING_STOP_REQUESTED");
    expect(await agent.call()).toMatchObject({ reason: "STRUCTURED_OUTPUT", output: { n: 1 } });
    expect(model.requests).toHaveLength(1);
  });
});
