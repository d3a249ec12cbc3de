// Each option of `createAgent` is checked, and named in its error.
import { describe, expect, test } from "vitest";
import { createAgent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { scripted } from "../../support/agents.ts";

describe("config", () => {
  test.each([
    [{ name: "" }, /`name`/],
    [{ model: {} }, /`model`/],
    [{ maxIters: 0 }, /`maxIters` is 0/],
    [{ parallelToolCalls: 0 }, /parallelToolCalls/],
    [{ toolOptions: { execution: { maxAttempts: 0 } } }, /toolOptions.execution.maxAttempts/],
  ])("createAgent with %j throws config/invalid, which names the option", (wrong, message) => {
    const make = () => createAgent({ name: "x", model: scriptedModel([]), ...(wrong as object) });
    expect(make).toThrow(
      expect.objectContaining({ code: "config/invalid", message: expect.stringMatching(message) }),
    );
  });

  test("a closed agent refuses calls with run/closed", async () => {
    const { agent } = scripted([]);
    await agent.close();
    await expect(agent.call("a")).rejects.toMatchObject({ code: "run/closed" });
  });
});
