import { createAgent, defineHook, defineTool, type Tool } from "agentchart";
import { scriptedModel } from "agentchart/testing";

type Config = Parameters<typeof createAgent>[0];

/** A tool that does nothing, for walks that never run it. */
export const tool = (name: string, more: object = {}): Tool =>
  defineTool({
    name,
    description: name,
    input: { type: "object" },
    execute: () => "done",
    ...more,
  } as never) as Tool;

/** The configuration of an agent with tools of these names. */
export const deskOf = (names: readonly string[], config: Partial<Config>): Config =>
  ({
    name: "desk",
    model: scriptedModel([]),
    tools: names.map((name) => tool(name)),
    parallelToolCalls: true,
    ...config,
  }) as Config;

/** A hook that listens to points, and returns nothing. */
export const listening = (...points: readonly string[]) =>
  defineHook({
    name: points.join("+"),
    ...Object.fromEntries(points.map((point) => [point, () => undefined])),
  } as never);
