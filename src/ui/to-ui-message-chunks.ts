import type { AgentEvent } from "../core/event/types.ts";
import { TurnChunks } from "../core/event/conversation/turn-chunks.ts";
import type { TurnChunk } from "../core/event/conversation/ui-message-chunk.ts";

/**
 * Turns the events of one turn into chunks of the AI SDK's UI message stream, which `useChat` reads. It ends with the turn.
 *
 * A turn is one message with the id `turn-N`, also when it is suspended and goes on, so that the page continues the message that it
 * has. Each answer of the model is a step. The events of the journal alone give the same message as all events: a reader that
 * reconnects is given the turn from its first event. Every call has its input, and its output once there is one; the tool that gives a
 * structured answer is not shown. Calls that wait for an approval are `tool-approval-request` with the id of the call as
 * `approvalId`; questions are `data-ask`, and so are approvals of calls of sub-agents. What a sub-agent has said and done so far is the
 * preliminary output of its call, as a message.
 *
 * @example
 * ```ts
 * import type { Agent } from "agentchart";
 * import { toUIMessageChunks } from "agentchart/ui";
 *
 * export function responseTo(agent: Agent, text: string): Response {
 *   const chunks = toUIMessageChunks(agent.stream(text, { onLeave: "continue" }));
 *   const frames = async function* () {
 *     for await (const chunk of chunks) yield `data: ${JSON.stringify(chunk)}\n\n`;
 *     yield "data: [DONE]\n\n";
 *   };
 *   const headers = { "Content-Type": "text/event-stream", "x-vercel-ai-ui-message-stream": "v1" };
 *   return new Response(ReadableStream.from(frames()).pipeThrough(new TextEncoderStream()), { headers });
 * }
 * ```
 */
export async function* toUIMessageChunks(events: AsyncIterable<AgentEvent>): AsyncGenerator<TurnChunk, void> {
  const turn = new TurnChunks();
  for await (const event of events) {
    yield* turn.push(event);
    if (turn.isOver) return;
  }
}
