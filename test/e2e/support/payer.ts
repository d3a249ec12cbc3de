import { createAgent, defineTool, type Agent, type AgentConfig } from "agentchart";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { expect, onTestFinished } from "vitest";
import { z } from "zod";
import type { Environment } from "./environment.ts";

const permissions = { rules: [{ tool: "pay", optional: true, action: "ask" }] } as const;

/** Creates an agent whose tool `pay` needs approval; `paid` records the inputs of its executions. */
export function payer(
  { hub }: Environment,
  turns: readonly ScriptedTurn[],
  config: Partial<AgentConfig> = {},
) {
  const paid: unknown[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    input: z.object({ to: z.string(), cents: z.number(), urgent: z.boolean().optional() }),
    execute: (input) => {
      paid.push(input);
      return "Paid.";
    },
  });
  const model = scriptedModel(turns);
  const agent = createAgent({
    name: "payer",
    model,
    tools: [pay],
    permissions,
    inspect: hub.address,
    ...config,
  });
  onTestFinished(() => agent.close());
  return { agent, model, paid };
}

/** Returns a turn of the model that calls `pay` once for each input. */
export const calls = (
  ...inputs: readonly { readonly to: string; readonly cents: number }[]
): ScriptedTurn => ({
  calls: inputs.map((input) => ({ id: `to-${input.to}`, name: "pay", input })),
});

/** Waits until the agent has stopped. */
export async function stopped(agent: Agent): Promise<void> {
  await expect.poll(() => agent.status().phase).toBe("stopped");
}
