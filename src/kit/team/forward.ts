import type { AgentEvent, AgentEventBody } from "../../core/event/types.ts";
import type { Block, Msg } from "../../core/message/types.ts";
import type { ToolContext } from "../../core/tool/types.ts";
import type { OuterCall } from "../../agent/services/run-call.ts";
import type { InnerAgent } from "../../agent/inbox-agent.ts";

/** The events of an inner agent that its parent emits too. Where its turn begins and ends, and what it waits for, the parent says
 *  itself: as the beginning, the end and the questions of the call. */
const FORWARDED = [
  "model.start",
  "model.end",
  "block.start",
  "block.delta",
  "block.end",
  "compaction.start",
  "compaction.end",
  "message",
  "tool.start",
  "tool.delta",
  "tool.end",
  "retry",
  "hook.failed",
] as const satisfies readonly AgentEvent["type"][];

type Forwarded = Extract<AgentEvent, { readonly type: (typeof FORWARDED)[number] }>;

/** The event with ids that are unique in the outer session. */
function prefixed(event: Forwarded, prefix: string): AgentEventBody {
  const { seq: _, n: __, at: ___, turn: ____, source: _____, ...body } = event;
  const idOf = (id: string): string => `${prefix}/${id}`;
  const blockOf = (block: Block): Block =>
    block.type === "tool_use" || block.type === "tool_result" ? { ...block, id: idOf(block.id) } : block;
  const messageOf = (message: Msg): Msg => ({
    ...message,
    id: idOf(message.id),
    content: message.content.map(blockOf),
  });
  return {
    ...body,
    ...("messageId" in body && { messageId: idOf(body.messageId) }),
    ...("callId" in body && body.callId !== undefined && { callId: idOf(body.callId) }),
    ...("call" in body && { call: blockOf(body.call) }),
    ...("result" in body && { result: blockOf(body.result) }),
    ...("message" in body && { message: messageOf(body.message) }),
  } as AgentEventBody;
}

/** Reports what an inner agent does: as events of its parent, or its text as progress of the call. Returns what ends that. */
export function forwardEvents(
  child: InnerAgent,
  ctx: Pick<ToolContext, "callId" | "emit">,
  outer: OuterCall | undefined,
  forward: boolean,
): () => void {
  if (!forward || !outer)
    return child.subscribe(
      (event) => {
        if (event.type === "block.delta" && event.kind === "text" && !event.source) ctx.emit(event.delta);
      },
      { types: ["block.delta"] },
    );
  return child.subscribe(
    (event) => outer.emit(prefixed(event as Forwarded, ctx.callId), [child.name, ...(event.source ?? [])]),
    { types: FORWARDED },
  );
}
