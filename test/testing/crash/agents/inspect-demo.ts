// The agents of the inspector's demo, each with its task.
import type { CrashScenario } from "agentchart/testing";
import { demoConfigs } from "../../../../examples/inspect-demo/agents.ts";

const configs = demoConfigs({});
export default Object.fromEntries(configs.map(({ config }) => [config.name, () => config]));

export const scenarios: { readonly [name: string]: CrashScenario } = Object.fromEntries(
  configs.map(({ config: { name }, task }) => [
    name,
    {
      agent: name,
      input: task,
      decide: (call) =>
        call.name === "ask_customer" ? { answer: JSON.stringify({ satisfied: true, stars: 5 }) } : "approve",
    },
  ]),
);
