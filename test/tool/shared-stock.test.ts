// Agents of one configuration share their tools.
import { expect, test } from "vitest";
import { createAgent, defineTool } from "agentchart";
import { scriptedModel } from "agentchart/testing";

const toolNamed = (name: string, inputSchema: object = {}) =>
  defineTool({
    name,
    description: "",
    input: { type: "object", properties: {}, ...inputSchema },
    execute: () => "done",
  });

test("agents of one configuration have their tools together, and a change of one of them is not a change of the others", async () => {
  const amount = { properties: { amount: { type: "number" } } };
  const tools = [toolNamed("pay", amount), toolNamed("look")];
  const made = () => {
    const model = scriptedModel(["Done.", "Done again."]);
    return { model, agent: createAgent({ name: "a", model, tools }) };
  };
  const [first, second, third] = [made(), made(), made()];
  const offered = async ({ agent, model }: typeof first) => {
    await agent.call("Hi");
    return model.requests.at(-1)!.tools.map(({ name, inputSchema }) => ({
      name,
      properties: Object.keys(inputSchema["properties"] ?? {}),
    }));
  };
  const all = [
    { name: "pay", properties: ["amount"] },
    { name: "look", properties: [] },
  ];
  expect(await offered(first)).toEqual(all);
  first.agent.toolkit.add(toolNamed("more"));
  second.agent.toolkit.remove("look");
  second.agent.toolkit.setPreset("pay", { amount: 5 });
  third.agent.toolkit.addGroup({ name: "late" });
  expect(await offered(first)).toEqual([...all, { name: "more", properties: [] }]);
  expect(await offered(second)).toEqual([{ name: "pay", properties: [] }]);
  expect(await offered(third)).toEqual(all);
  expect(await offered(made())).toEqual(all);
});
