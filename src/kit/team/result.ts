import type { JsonObject } from "../../core/base/json.ts";
import { isVisible } from "../../core/message/msg.ts";
import type { MediaBlock, Reason, TextBlock } from "../../core/message/types.ts";
import { toolError } from "../../core/tool/suspend.ts";
import type { ToolOutcome } from "../../core/tool/types.ts";
import type { Reply } from "../../agent/types.ts";

const FAILED: readonly Reason[] = ["BUDGET_EXCEEDED", "INTERRUPTED", "ERROR"];

function blocksOf({ content, text }: Reply<unknown>, mode: "text" | "all"): (TextBlock | MediaBlock)[] {
  const blocks = content.filter(isVisible);
  if (mode === "all" && blocks.length > 0) return blocks;
  return [{ type: "text", text: text.trim() === "" ? "(No response)" : text }];
}

/** An error that ended the agent, as the model of its parent reads it. */
export function executionError(message: string): ToolOutcome {
  return toolError(`Execution error: ${message}`);
}

/** Returns the reply of an agent as the result of its call. `session`: what the model may name to talk to the agent again. */
export function resultOf(
  reply: Reply<unknown>,
  { sessionId, session, mode }: { sessionId: string; session: string | undefined; mode: "text" | "all" },
): ToolOutcome {
  const metadata: JsonObject = {
    sessionId,
    reason: reply.reason,
    usage: { ...reply.turn.usage } as JsonObject,
  };
  if (FAILED.includes(reply.reason)) return { ...executionError(reply.text), metadata };
  const isStructured = reply.output !== undefined;
  const output = isStructured
    ? [{ type: "text" as const, text: JSON.stringify(reply.output) }]
    : blocksOf(reply, mode);
  const prefix = session === undefined ? [] : [{ type: "text" as const, text: `session_id: ${session}\n\n` }];
  return { output: joined([...prefix, ...output]), metadata };
}

/** The blocks, with a prefix and the text behind it as one. */
function joined(blocks: readonly (TextBlock | MediaBlock)[]): (TextBlock | MediaBlock)[] {
  const [first, second, ...rest] = blocks;
  if (first?.type !== "text" || second?.type !== "text" || !first.text.endsWith("\n\n")) return [...blocks];
  return [{ type: "text", text: first.text + second.text }, ...rest];
}
