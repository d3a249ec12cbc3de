// Calls that need no review, and tools that change meanwhile.
import { describe, expect, test } from "vitest";
import { createToolkit, defineTool, type AgentConfig, type AgentEvent, type Tool } from "agentchart";
import { z } from "zod";
import { resultsOf, scripted, toolOf } from "../../support/agents.ts";
import { call } from "../../support/trace.ts";

const ok = (fields: object = {}): Tool => toolOf("ok", () => "done", fields);
const turns = [{ calls: [call("c1")] }, "end"];

describe("tools that change while the agent lives", () => {
  test("a call of a tool whose group was switched off is answered as unavailable", async () => {
    const toolkit = createToolkit({
      groups: [{ name: "g", description: "" }],
      tools: [ok({ groups: ["g"] })],
    });
    const { agent } = scripted([...turns, { calls: [call("c2")] }, "end"], { toolkit });
    expect((await agent.call("go")).text).toBe("end");
    agent.toolkit.setGroups({ deactivate: ["g"] });
    await agent.call("again");
    const results = resultsOf(await agent.messages());
    expect(results.map(({ state, code }) => [state, code])).toEqual([
      ["success", undefined],
      ["error", "tool/unavailable"],
    ]);
  });

  test("a tool that was removed is unknown, and one that takes its place has its own permission", async () => {
    const { agent } = scripted([...turns, { calls: [call("c2")] }, "end", { calls: [call("c3")] }], {
      tools: [ok()],
    });
    await agent.call("go");
    agent.toolkit.remove("ok");
    await agent.call("again");
    agent.toolkit.add(ok({ permission: "ask" }));
    expect((await agent.call("once more")).reason).toBe("APPROVAL_REQUIRED");
    expect(resultsOf(await agent.messages()).map(({ state }) => state)).toEqual(["success", "error"]);
  });

  test("a restored agent goes by its own permissions", async () => {
    const first = scripted([{ calls: [call("c1")] }], { tools: [toolOf("ok")] });
    await first.agent.call("go");
    const snapshot = first.agent.snapshot();
    const next = scripted([{ calls: [call("c2")] }], {
      sessionOptions: { snapshot },
      tools: [ok({ permission: "ask" })],
    });
    expect((await next.agent.call()).reason).toBe("APPROVAL_REQUIRED");
  });
});

describe("the arguments of a call that needs no review", () => {
  const double = defineTool({
    name: "double",
    description: "",
    input: z.object({ n: z.number() }),
    execute: ({ n }) => `${n}`,
  }) as unknown as Tool;

  test.each([
    ["do not fit the schema", { n: "two" }],
    ["fit", { n: 2 }],
  ])("give the same messages and events as with a review if they %s", async (_, args) => {
    const run = async (hooks: AgentConfig["hooks"]) => {
      const events: AgentEvent[] = [];
      const { agent } = scripted([{ calls: [{ id: "c1", name: "double", input: args }] }, "end"], {
        tools: [double],
        sessionOptions: { now: () => 0 },
        ...(hooks && { hooks }),
      });
      agent.subscribe((event) => events.push(event));
      const { turn } = await agent.call("go");
      const told = events.filter(({ type }) => type !== "state").map(({ type }) => type);
      return { told, turn, results: resultsOf(await agent.messages()) };
    };
    expect(await run(undefined)).toEqual(await run([{ name: "sees", preActing: () => {} }]));
  });

  test("that do not fit are an error of an external tool too", async () => {
    const asks = defineTool({ name: "asks", description: "", input: z.object({ n: z.number() }) }) as Tool;
    const { agent } = scripted([{ calls: [{ id: "c1", name: "asks" }] }, "end"], { tools: [asks] });
    expect((await agent.call("go")).text).toBe("end");
    expect(resultsOf(await agent.messages())).toMatchObject([{ code: "tool/bad-input" }]);
  });
});
