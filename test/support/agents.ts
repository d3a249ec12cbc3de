import {
  createAgent,
  defineTool,
  toolResultsOf,
  type Agent,
  type AgentConfig,
  type AgentEvent,
  type Msg,
  type Tool,
  type ToolContext,
  type ToolResultBlock,
  type ToolReturn,
} from "agentchart";
import { scriptedModel, type ScriptedModel, type ScriptedTurn } from "agentchart/testing";

/** An agent on a script, without tools and hooks of its own. */
export function scripted(
  turns: readonly ScriptedTurn[],
  config: Partial<AgentConfig> = {},
): { readonly agent: Agent; readonly model: ScriptedModel } {
  const model = scriptedModel(turns);
  return { model, agent: createAgent({ name: "bot", model, ...config }) };
}

/** A tool that takes any object; without `execute` it is external. */
export function toolOf(
  name: string,
  execute?: (
    input: { readonly [key: string]: unknown },
    ctx: ToolContext,
  ) => ToolReturn | Promise<ToolReturn>,
  fields: Partial<Parameters<typeof defineTool>[0]> = {},
): Tool {
  return defineTool({
    name,
    description: name,
    input: { type: "object" },
    ...(execute && { execute: execute as never }),
    ...fields,
  }) as Tool;
}

/** All events of a stream; an error at its end is thrown. */
export async function eventsOf(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

export function resultsOf(messages: readonly Msg[]): ToolResultBlock[] {
  return messages.flatMap(toolResultsOf);
}

/** The text of the first output of a result. */
export function outputOf(result: ToolResultBlock | undefined): string {
  const first = result?.output[0];
  return first?.type === "text" ? first.text : "";
}

/** Rejects only when the signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
  });
}
