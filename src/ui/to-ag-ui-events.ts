import type { AgentEvent } from "../core/event/types.ts";
import type { AgUiEvent } from "./ag-ui-event.ts";
import { RunEvents, type AgUiRun } from "./ag-ui-run.ts";

/**
 * Turns the events of one turn into those of a run of AG-UI, version 1.0. It ends with the turn.
 *
 * A run begins with `RUN_STARTED`, a `STATE_SNAPSHOT` of `{ state, usage, plan, todos }`, which `STATE_DELTA`s change, and a
 * `MESSAGES_SNAPSHOT` of the transcript: what the page has made up is gone. Messages that are
 * in the transcript are not sent again, so that a reader that reconnects may be given the turn from its first event; the events of the
 * journal alone give the same messages as all events. What was streamed of an attempt that was rejected, or that a hook has replaced, is
 * taken back by another snapshot. A call that waits for a person ends the run with an interrupt; one whose result the page gives is in
 * `pendingToolCallIds`. A turn that was interrupted is `cancelled`, and one that has failed ends with `RUN_ERROR`. The tool that gives a
 * structured answer is not shown. A sub-agent is shown while it runs: its events carry the id of its call as `subagentRunId`. It is not in
 * the transcript of the session, so that a page that is loaded again has its result only.
 *
 * @example
 * ```ts
 * import type { Agent } from "agentchart";
 * import { readRunInput, toAgUiEvents } from "agentchart/ui";
 *
 * export async function responseTo(agent: Agent, body: unknown): Promise<Response> {
 *   const { threadId, runId, text, decisions } = readRunInput(body, agent.status().pending);
 *   const messages = await agent.messages();
 *   for (const { callId, decision, argsHash } of decisions) await agent.decide(callId, decision, { argsHash });
 *   const events = toAgUiEvents(agent.stream(text, { onLeave: "continue" }), { threadId, runId, messages });
 *   const frames = async function* () {
 *     for await (const event of events) yield `data: ${JSON.stringify(event)}\n\n`;
 *   };
 *   const headers = { "Content-Type": "text/event-stream" };
 *   return new Response(ReadableStream.from(frames()).pipeThrough(new TextEncoderStream()), { headers });
 * }
 * ```
 */
export async function* toAgUiEvents(
  events: AsyncIterable<AgentEvent>,
  run: AgUiRun,
): AsyncGenerator<AgUiEvent, void> {
  const fold = new RunEvents(run);
  yield* fold.start();
  for await (const event of events) {
    yield* fold.push(event);
    if (fold.isOver) return;
  }
}
