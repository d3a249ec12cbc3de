import { toolResultsOf, toolUsesOf } from "../message/query.ts";
import type { Msg, ToolResultBlock } from "../message/types.ts";
import type { ChatModel, StreamPart } from "../model/port.ts";
import type { SessionStore } from "../store/port.ts";
import { hashInput } from "../tool/hash.ts";
import type { Tool } from "../tool/types.ts";
import { openSession } from "./open-session.ts";

/** What a message says, whatever its ids and times. */
function contentKey({ role, content }: Msg): string {
  return JSON.stringify([role, content]);
}

function* partsOf(message: Msg): Generator<StreamPart> {
  for (const block of message.content) {
    const opaque = "opaque" in block && block.opaque !== undefined ? { opaque: block.opaque } : {};
    if (block.type === "text") yield { type: "text.delta", delta: block.text, ...opaque };
    else if (block.type === "thinking") yield { type: "thinking.delta", delta: block.thinking, ...opaque };
    else if (block.type === "tool_use") {
      const args = block.rawInput ?? JSON.stringify(block.input);
      yield { type: "tool.delta", key: block.id, id: block.id, name: block.name, args, ...opaque };
    } else if (block.type !== "tool_result") yield { type: "media", block };
  }
  if (message.usage) yield { type: "usage", usage: message.usage };
  yield { type: "finish", reason: toolUsesOf(message).length > 0 ? "tool_calls" : "stop" };
}

/**
 * A model and tools that play a recorded session again: while the history is the recorded one, the model says what it said
 * and a call with the recorded arguments gets the recorded result. At the first difference, and from then on, the given
 * model and tools go on live. Hand them to the agent of a fork.
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

  const model: ChatModel = {
    ...live.model,
    async *stream(request, options) {
      const said = request.messages.filter(({ role }) => role !== "system");
      const next = messages[said.length];
      isLive ||=
        next?.role !== "assistant" || said.some((message, index) => contentKey(message) !== recorded[index]);
      if (isLive) yield* live.model.stream(request, options);
      else yield* partsOf(next!);
    },
  };
  const tools = live.tools.map((tool): Tool<Ctx> => {
    const { execute } = tool;
    if (!execute) return tool;
    return {
      ...tool,
      execute: (input, ctx) => {
        const known = isLive ? undefined : results.get(ctx.callId);
        const isSame = known?.result.name === tool.name && known.result.state !== "interrupted";
        if (!isSame || known!.hash !== hashInput(calls.get(ctx.callId)!.input)) return execute(input, ctx);
        const { output, state, metadata } = known!.result;
        return { output, state: state === "success" ? "success" : "error", ...(metadata && { metadata }) };
      },
    };
  });
  return { model, tools };
}
