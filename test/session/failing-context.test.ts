// A `context` of the user that fails.
import { AgentError, createAgent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { expect, test } from "vitest";
import { scripted } from "../support/agents.ts";

test("a `context` that throws when the agent is made is refused with config/invalid", () => {
  const context = () => {
    throw new Error("no tenant");
  };
  expect(() => createAgent({ name: "bot", model: scriptedModel([]), context })).toThrow(AgentError);
});

test("a `context` that throws is refused with a typed error, and the next call works", async () => {
  let hasTenant = true;
  const context = () => {
    if (!hasTenant) throw new Error("no tenant");
    return {};
  };
  const { agent } = scripted(["done"], { context });
  hasTenant = false;
  await expect(agent.call("go")).rejects.toMatchObject({
    code: "config/invalid",
    message: expect.stringContaining("no tenant"),
  });
  hasTenant = true;
  expect(await agent.messages()).toEqual([]);
  expect((await agent.call("go")).text).toBe("done");
});
