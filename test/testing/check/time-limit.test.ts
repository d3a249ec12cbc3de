// What a check says whose time is over.
import { expect, test, vi } from "vitest";
import { defineTool } from "agentchart";
import { checkRules } from "agentchart/check";
import { before } from "agentchart/rules";
import { scriptedModel } from "agentchart/testing";

test("a rule that holds is unknown until all is walked, whenever the time is over", async () => {
  const tool = (name: string) =>
    defineTool({ name, description: name, input: { type: "object" }, execute: () => "done" });
  const config = {
    name: "desk",
    model: scriptedModel([]),
    tools: [tool("verify"), tool("refund")],
    rules: [before("verify", "refund")],
  };
  const bounds = { iterations: 1, batch: 1, disturbances: 0, resumptions: 0, threads: 0, timeLimitMs: 1 };
  const now = vi.spyOn(Date, "now");
  const resultAfter = async (looks: number): Promise<string> => {
    let left = looks;
    now.mockImplementation(() => (left-- > 0 ? 0 : 2));
    return (await checkRules(config, bounds)).result;
  };
  const results: string[] = [];
  for (let looks = 1; results.at(-1) !== "holds"; looks *= 1.1) results.push(await resultAfter(looks));
  now.mockRestore();
  expect(new Set(results)).toEqual(new Set(["unknown", "holds"]));
});
