import { z } from "zod";
import { messageOf } from "../../core/base/error.ts";
import type { Found } from "../../core/hook/per-turn.ts";
import { sourceMetadata } from "../../core/message/msg.ts";
import { defineTool } from "../../core/tool/define.ts";
import { toolError } from "../../core/tool/suspend.ts";
import type { Tool, ToolContext } from "../../core/tool/types.ts";
import type { FoundMemory, NewMemory } from "./port.ts";

/** The actions of the tools. */
export type MemoryActions = {
  record(memories: readonly NewMemory[], ctx: ToolContext): Promise<number>;
  search(text: string, ctx: ToolContext): Promise<readonly FoundMemory[]>;
  show(found: readonly FoundMemory[]): Found | undefined;
};

/** So many characters of the reason of a memory are stored. */
const MAX_THINKING = 1_000;

/** The tools with which the model itself records and retrieves; their names and arguments are AgentScope's. */
export function memoryTools({ record, search, show }: MemoryActions): readonly Tool[] {
  return [
    defineTool({
      name: "record_to_memory",
      description:
        "Records facts in the long-term memory, for later conversations with this user: preferences, decisions, and what is still open. No secrets, such as passwords.",
      input: z.object({
        thinking: z.string().optional().describe("Why it is worth remembering."),
        content: z.array(z.string()).describe("The facts, each understandable by itself."),
        role: z
          .enum(["user", "assistant"])
          .optional()
          .describe(
            "Whom the facts come from: `user` (default), or `assistant` for what you have found or promised.",
          ),
      }),
      idempotent: true,
      execute: async ({ content, thinking, role = "user" }, ctx) => {
        const texts = content.map((text) => text.trim()).filter((text) => text !== "");
        if (texts.length === 0) return "No content was given, so nothing was recorded.";
        const why = thinking?.trim().slice(0, MAX_THINKING);
        const meta = { role, ...(why && { thinking: why }) };
        try {
          return `Successfully recorded ${await record(
            texts.map((text) => ({ text, meta })),
            ctx,
          )} memories.`;
        } catch (error) {
          return toolError(`Failed to record to memory: ${messageOf(error)}`);
        }
      },
    }),
    defineTool({
      name: "retrieve_from_memory",
      description: "Searches the long-term memory of earlier conversations with this user.",
      input: z.object({
        keywords: z.array(z.string()).describe("Names, dates and words that the memories may have."),
      }),
      idempotent: true,
      execute: async ({ keywords }, ctx) => {
        const query = keywords.join(" ").trim();
        if (query === "") return "No keywords were given, so nothing was searched.";
        try {
          const found = show(await search(query, ctx));
          if (!found) return `No relevant memories found for: ${query}`;
          return {
            output: [{ type: "text", text: found.text }],
            metadata: sourceMetadata(found.sources),
          };
        } catch (error) {
          return toolError(`Failed to retrieve from memory: ${messageOf(error)}`);
        }
      },
    }),
  ];
}
