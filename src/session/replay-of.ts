import { isSame } from "../core/base/is-same.ts";
import { withAccount } from "../core/message/account.ts";
import { toolResultsOf, toolUsesOf } from "../core/message/query.ts";
import type { Msg, ToolResultBlock, ToolUseBlock } from "../core/message/types.ts";
import type { ChatModel, StreamPart } from "../core/model/port.ts";
import type { SessionStore } from "../store/port.ts";
import { hashInput } from "../core/tool/hash.ts";
import type { Tool } from "../core/tool/types.ts";
import { openSession } from "./open-session.ts";

/** Returns the content of a message as a string, without its id and time, and without what became of calls. */
function contentKey({ role, content }: Msg): string {
  const said = content.map((block) =>
    block.type === "tool_result" && block.account ? withAccount(block, undefined) : block,
  );
  return JSON.stringify([role, said]);
}

function* partsOf({ content, usage, metadata }: Msg): Generator<StreamPart> {
  for (const [index, block] of content.entries()) {
    const opaque = "opaque" in block && block.opaque !== undefined ? { opaque: block.opaque } : {};
    if (block.type === "text") yield { type: "text.delta", delta: block.text, block: index, ...opaque };
    else if (block.type === "thinking")
      yield { type: "thinking.delta", delta: block.thinking, block: index, ...opaque };
    else if (block.type === "tool_use") {
      const args = block.rawInput ?? JSON.stringify(block.input);
      yield { type: "tool.delta", key: block.id, id: block.id, name: block.name, args, ...opaque };
    } else if (block.type === "provider") yield { type: "provider", block };
    else if (block.type !== "tool_result") yield { type: "media", block };
  }
  if (usage) yield { type: "usage", usage };
  const hasCalls = content.some(({ type }) => type === "tool_use");
  yield { type: "finish", reason: hasCalls ? "tool_calls" : "stop", metadata };
}

/** The recorded call that has another id now: the one of its tool with this input, or the only one of its tool. */
function renamed(asked: readonly ToolUseBlock[], tool: string, input: unknown): ToolUseBlock | undefined {
  const candidates = asked.filter(({ name }) => name === tool);
  return (
    candidates.find((call) => isSame(call.input, input)) ??
    (candidates.length === 1 ? candidates[0] : undefined)
  );
}

/**
 * Returns a model and tools that repeat a recorded session. While the history equals the recorded one, the model returns the
 * recorded message and a call with the recorded arguments returns the recorded result. From the first difference on, the
 * model and the tools in `live` are called. Pass them to the agent of a fork. Rejects as {@link openSession}.
 *
 * @example
 * ```ts
 * import { createAgent, type ChatModel, type SessionStore, type Tool } from "agentchart";
 * import { openSession, replayOf } from "agentchart/session";
 *
 * async function repeat(store: SessionStore, live: { model: ChatModel; tools: Tool[] }) {
 *   const fork = await (await openSession(store, "customer-42")).fork(12);
 *   const replayed = await replayOf(store, "customer-42", live);
 *   return createAgent({ name: "desk", ...replayed, store, sessionId: fork.sessionId });
 * }
 * ```
 */
export async function replayOf<Ctx>(
  store: SessionStore,
  sessionId: string,
  live: { readonly model: ChatModel; readonly tools: readonly Tool<Ctx>[] },
): Promise<{ readonly model: ChatModel; readonly tools: readonly Tool<Ctx>[] }> {
  const { messages } = await (await openSession(store, sessionId)).at();
  const recorded = messages.map(contentKey);
  const results = new Map<string, { readonly hash: string; readonly result: ToolResultBlock }>();
  const calls = new Map(
    messages.flatMap((message) => toolUsesOf(message).map((call) => [call.id, call] as const)),
  );
  for (const result of messages.flatMap(toolResultsOf)) {
    const call = calls.get(result.id);
    if (call) results.set(result.id, { hash: hashInput(call.input), result });
  }
  let isLive = false;
  /** The calls of the answer that was replayed last. The agent gives a call another id if it cannot know that its own is free. */
  let asked: readonly ToolUseBlock[] = [];

  const model: ChatModel = {
    ...live.model,
    async *stream(request, options) {
      const said = request.messages.filter(({ role }) => role !== "system");
      const next = messages[said.length];
      isLive ||=
        next?.role !== "assistant" || said.some((message, index) => contentKey(message) !== recorded[index]);
      if (isLive) yield* live.model.stream(request, options);
      else {
        asked = toolUsesOf(next!);
        yield* partsOf(next!);
      }
    },
  };
  const tools = live.tools.map((tool): Tool<Ctx> => {
    const { execute } = tool;
    if (!execute) return tool;
    return {
      ...tool,
      execute: (input, ctx) => {
        const id = calls.has(ctx.callId) ? ctx.callId : renamed(asked, tool.name, input)?.id;
        const known = isLive || id === undefined ? undefined : results.get(id);
        const isRecorded = known?.result.name === tool.name && known.result.state !== "interrupted";
        if (!isRecorded || known!.hash !== hashInput(calls.get(id!)!.input)) return execute(input, ctx);
        const { output, state, metadata } = known!.result;
        return { output, state: state === "success" ? "success" : "error", ...(metadata && { metadata }) };
      },
    };
  });
  return { model, tools };
}
