import { createAgent, defineTool, suspend, type Agent, type AgentConfig } from "agentchart";
import { inspector, type StartedHub } from "agentchart/inspect";
import { scriptedModel, type ScriptedModel, type ScriptedTurn } from "agentchart/testing";
import { expect, onTestFinished } from "vitest";
import { HubPage, testHome, testHub } from "./hub-page.ts";

/** A run that a page has subscribed to: the agent, its scripted model, and the inputs of its tool `pay`. */
export type Stage = {
  readonly hub: StartedHub;
  readonly page: HubPage;
  readonly agent: Agent;
  readonly model: ScriptedModel;
  readonly ran: unknown[];
};

/** The answer schema of the tool `survey`. */
export const STARS = { type: "object", properties: { stars: { type: "number" } }, required: ["stars"] };
/** A turn of the model that calls a tool once per object of arguments. */
export const asks = (name: string, ...args: readonly object[]): ScriptedTurn => [
  ...args.map((each, key) => ({ type: "tool.delta", key, name, args: JSON.stringify(each) }) as const),
  { type: "finish", reason: "tool_calls" },
];

export async function stage(
  turns: readonly ScriptedTurn[],
  config: Partial<AgentConfig> = {},
  options: { readonly readonly?: boolean } = {},
): Promise<Stage> {
  const home = testHome();
  const hub = await testHub({ home, ...options, ...(config.store && { store: config.store }) });
  const inspect = inspector({ home, retryMs: [10, 50] });
  onTestFinished(() => inspect.close());
  const ran: unknown[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    input: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
    permission: "ask",
    execute: (input) => {
      ran.push(input);
      return "paid";
    },
  });
  const survey = defineTool({
    name: "survey",
    description: "Asks a person.",
    input: { type: "object" },
    execute: () => suspend("How many stars?", { answerSchema: STARS }),
  });
  const model = scriptedModel(turns);
  const agent = createAgent({ name: "bot", model, tools: [pay, survey], inspect, ...config });
  const page = await HubPage.open(hub);
  await expect.poll(() => page.rows.has(agent.sessionId)).toBe(true);
  page.subscribe(agent.sessionId);
  return { hub, page, agent, model, ran };
}

/** Resolves to the open calls once there are `count` of them. */
export async function waits({ page, agent }: Stage, count = 1) {
  await expect.poll(() => page.pending.get(agent.sessionId)?.length).toBe(count);
  return page.pending.get(agent.sessionId)!;
}

export const phaseOf = ({ page, agent }: Stage) => page.rows.get(agent.sessionId)?.phase;
