import type { CallAccount, ToolResultBlock, ToolUseBlock, Msg } from "../message/types.ts";
import { hasBlock, toolResultsOf, toolUsesOf } from "../message/msg.ts";
import { OUTPUT_TOOL } from "../tool/reserved-names.ts";
import type { AgentEventBody } from "./types.ts";

/** False for the tool with which a model gives a structured answer: it is part of the answer, and no call has events. */
export function isReported({ name }: { readonly name: string }): boolean {
  return name !== OUTPUT_TOOL;
}

/** The start and the end of a call that gets this result without being run. */
export function notRun(call: ToolUseBlock, result: ToolResultBlock): readonly AgentEventBody[] {
  return [
    { type: "tool.start", call, attempt: 0 },
    { type: "tool.end", callId: call.id, result, durationMs: 0 },
  ];
}

/** The event of an attempt that has failed and is repeated from `until` on, epoch ms. Sessions of releases that did not record why
 *  attempts failed say only that they did. */
export function toolRetry(
  { id: callId, name }: ToolUseBlock,
  attempt: number,
  until: number,
  account: CallAccount | undefined,
): AgentEventBody {
  const failed = account?.attempts?.find((each) => each.attempt === attempt);
  const code = failed?.code ?? "tool/failed";
  const message = failed?.error ?? `Attempt ${attempt} of '${name}' did not succeed.`;
  return { type: "retry", callId, attempt, until, error: { code, message } };
}

function phaseOf(message: Msg): "reasoning" | "summary" | "other" {
  if (message.role !== "assistant" || message.reason === "INTERRUPTED") return "other";
  return message.reason === "MAX_ITERATIONS" ? "summary" : "reasoning";
}

/** The events of new messages. A call that is asked for and answered in them has its start and its end before its result, unless it is
 *  `known`: then it has them already. */
export function messageEvents(
  added: readonly Msg[],
  known: (callId: string) => boolean,
): readonly AgentEventBody[] {
  let asked: ReadonlyMap<string, ToolUseBlock> | undefined;
  const pairOf = (result: ToolResultBlock): readonly AgentEventBody[] => {
    asked ??= new Map(added.flatMap(toolUsesOf).map((call) => [call.id, call]));
    const call = asked.get(result.id);
    return call && isReported(call) && !known(call.id) ? notRun(call, result) : [];
  };
  return added.flatMap((message): readonly AgentEventBody[] => {
    const event: AgentEventBody = { type: "message", phase: phaseOf(message), message };
    return hasBlock(message, "tool_result") ? [...toolResultsOf(message).flatMap(pairOf), event] : [event];
  });
}
