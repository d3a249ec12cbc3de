import type { AgentEvent } from "agentchart";
import type { NormalMsg, StreamOptions } from "./shapes.ts";
import { normal } from "./messages.ts";

export type StreamedMsg = { type: string; last: boolean; msg: NormalMsg };

/** Events of the product as those of the suite; a result that the caller brought is not news to it. */
export function* streamed(
  event: AgentEvent,
  agent: string,
  brought: ReadonlySet<string>,
): Generator<StreamedMsg> {
  if (event.type === "block.delta") {
    const { kind, callId = "", name = "", delta, soFar = delta } = event;
    const block = kind === "tool_use" ? { type: kind, id: callId, name } : { type: kind, text: soFar };
    const msg: NormalMsg = { role: "assistant", name: agent, blocks: [block] };
    yield { type: event.phase === "summary" ? "SUMMARY" : "REASONING", last: false, msg };
  } else if (event.type === "tool.delta") {
    const block = { type: "tool_result", id: event.callId, text: event.delta };
    yield { type: "TOOL_RESULT", last: false, msg: { role: "tool", name: agent, blocks: [block] } };
  } else if (event.type === "message") {
    const { message, phase } = event;
    const isNews = message.content.some((block) => block.type === "tool_result" && !brought.has(block.id));
    if (phase === "summary") yield { type: "SUMMARY", last: true, msg: normal(message) };
    else if (phase === "reasoning") yield { type: "REASONING", last: true, msg: normal(message) };
    else if (isNews) yield { type: "TOOL_RESULT", last: true, msg: normal(message) };
  }
}

export function isIncluded({ type, last }: StreamedMsg, options: StreamOptions): boolean {
  if (options.eventTypes && !options.eventTypes.includes(type)) return false;
  if (type === "REASONING")
    return (last ? options.includeReasoningResult : options.includeReasoningChunk) ?? true;
  if (type === "SUMMARY") return (last ? options.includeSummaryResult : options.includeSummaryChunk) ?? true;
  return type !== "TOOL_RESULT" || last || (options.includeActingChunk ?? true);
}
