import { setImmediate } from "node:timers/promises";
import { defineTool, suspend, toolError, type JsonObject, type Tool } from "agentchart";
import type { RunnerTool } from "./shapes.ts";

/** The suite's tools hear of no abort: like AgentScope's they run to their end, if they are left the time. */
export function toTool(tool: RunnerTool, interrupt: () => void): Tool {
  const { name, description, schema, groups, preset, external } = tool;
  return defineTool({
    name,
    description,
    input: schema,
    groups,
    ...(preset && { preset }),
    ...(!external && {
      execute: async (input: JsonObject, { emit }: { emit(chunk: string): void }) => {
        const emitOne = async (text: string): Promise<void> => {
          emit(text);
          await setImmediate(); // a reader sees each chunk
        };
        await setImmediate(); // like AgentScope's pool: all that were started run, whatever one of them does
        const answer = await tool.execute(input, { emit: emitOne, interrupt });
        if (answer === undefined) return undefined as never;
        if (answer.error !== undefined) return toolError(answer.error);
        if (answer.suspend !== undefined) return suspend(answer.suspend ?? undefined);
        return answer.text ?? null;
      },
    }),
  });
}
