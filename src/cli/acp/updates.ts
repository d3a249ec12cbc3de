import { changedInput } from "../../core/message/account.ts";
import type { ContentBlock, SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import { planSlot, type Plan } from "../../kit/plan/plan.ts";
import { todoSlot, type Todo } from "../../kit/plan/todo.ts";
import type { AgentEvent } from "../../core/event/types.ts";
import { isSaid, shownBlocks, shownResults } from "../../core/event/conversation/shown-messages.ts";
import { withProgress } from "../../core/event/conversation/shown-progress.ts";
import type { Block, Msg, ToolResultBlock, ToolUseBlock } from "../../core/message/types.ts";

const PLAN_STATES = {
  todo: "pending",
  in_progress: "in_progress",
  done: "completed",
  abandoned: "completed",
} as const;

const text = (words: string): ContentBlock => ({ type: "text", text: words });

function contentOf({ output }: ToolResultBlock): ToolCallContent[] {
  return output.flatMap((block): ToolCallContent[] => {
    if (block.type === "text") return [{ type: "content", content: text(block.text) }];
    const { source } = block;
    if (block.type !== "image" || source.type !== "base64") return [];
    return [{ type: "content", content: { type: "image", data: source.data, mimeType: source.mediaType } }];
  });
}

function callOf({ id, name, input }: ToolUseBlock): SessionUpdate & { sessionUpdate: "tool_call" } {
  return { sessionUpdate: "tool_call", toolCallId: id, title: name, name, kind: "other", rawInput: input };
}

function endOf(result: ToolResultBlock): SessionUpdate {
  const status =
    result.state === "success" ? "completed" : result.state === "suspended" ? "pending" : "failed";
  const content = status === "pending" ? {} : { content: contentOf(result) };
  const ran = changedInput(result.account);
  const rawInput = ran && "input" in ran ? { rawInput: ran.input } : {};
  return { sessionUpdate: "tool_call_update", toolCallId: result.id, status, ...rawInput, ...content };
}

function planOf(name: string, value: unknown): readonly SessionUpdate[] {
  const entry = (content: string, status: Todo["status"]) => ({
    content,
    status,
    priority: "medium" as const,
  });
  if (name === todoSlot.name)
    return [
      {
        sessionUpdate: "plan",
        entries: (value as readonly Todo[]).map(({ content, status }) => entry(content, status)),
      },
    ];
  if (name !== planSlot.name) return [];
  const { subtasks = [] } = (value ?? {}) as Partial<Plan>;
  const entries = subtasks.map((each) => entry(each.name, PLAN_STATES[each.state]));
  return [{ sessionUpdate: "plan", entries }];
}

/** Returns a fold of the events of a turn to what a client of ACP is told. Of agents inside of calls it tells the calls. */
export function acpUpdates(): (event: AgentEvent) => readonly SessionUpdate[] {
  const started = new Set<string>();
  const output = new Map<string, string>();
  return (event) => {
    const isInner = event.source !== undefined;
    switch (event.type) {
      case "block.delta": {
        if (isInner || (event.kind !== "text" && event.kind !== "thinking")) return [];
        const sessionUpdate = event.kind === "text" ? "agent_message_chunk" : "agent_thought_chunk";
        return [{ sessionUpdate, content: text(event.delta) }];
      }
      case "tool.start": {
        const { call, attempt } = event;
        const status = attempt === 0 ? "pending" : "in_progress";
        const former = output.delete(call.id) ? { content: [] } : {}; // what an earlier attempt has said
        if (started.has(call.id))
          return [{ sessionUpdate: "tool_call_update", toolCallId: call.id, status, ...former }];
        started.add(call.id);
        return [{ ...callOf(call), status }];
      }
      case "tool.delta": {
        const { callId, delta } = event;
        const all = withProgress(output.get(callId), delta);
        output.set(callId, all);
        const content = [{ type: "content" as const, content: text(all) }];
        return [{ sessionUpdate: "tool_call_update", toolCallId: callId, content }];
      }
      case "tool.end":
        return [endOf(event.result)];
      case "slot":
        return isInner ? [] : planOf(event.name, event.value);
      default:
        return [];
    }
  };
}

function replayed(block: ReturnType<typeof shownBlocks>[number], role: Msg["role"]): SessionUpdate {
  if (block.type === "tool_use") return { ...callOf(block), status: "pending" };
  if (block.type === "thinking")
    return { sessionUpdate: "agent_thought_chunk", content: text(block.thinking) };
  const sessionUpdate = role === "user" ? "user_message_chunk" : "agent_message_chunk";
  return { sessionUpdate, content: text(block.text) };
}

/** Returns what a client of ACP is told of a conversation that it opens again. */
export function acpHistory(messages: readonly Msg[]): readonly SessionUpdate[] {
  return messages.flatMap((message) => {
    const { role } = message;
    if (role === "tool") return shownResults(message).map(endOf);
    const isShown = role === "assistant" || isSaid(message);
    return isShown ? shownBlocks(message).map((block) => replayed(block, role)) : [];
  });
}

/** Reads a prompt: its text, its images, and what it links to or has attached, as text. */
export function acpInput(prompt: readonly ContentBlock[]): Pick<Msg, "content"> {
  const content = prompt.flatMap((block): Block[] => {
    switch (block.type) {
      case "text":
        return [{ type: "text", text: block.text }];
      case "image":
        return [
          {
            type: "image",
            source: { type: "base64", data: block.data, mediaType: block.mimeType },
          },
        ];
      case "resource_link":
        return [{ type: "text", text: `[${block.name}](${block.uri})` }];
      case "resource": {
        const { resource } = block;
        const words = "text" in resource ? resource.text : "(no text)";
        return [{ type: "text", text: `<file uri=${JSON.stringify(resource.uri)}>\n${words}\n</file>` }];
      }
      default:
        return [];
    }
  });
  return { content };
}
