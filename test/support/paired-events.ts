import type { AgentEvent } from "agentchart";

/**
 * What is wrong with the events of a session, or undefined. Every start has its end and nothing ends twice; one block
 * and one model call are open at a time; numbers rise; `turn.end` comes once and last in its turn. `startedBefore` are
 * calls of a process that ended whose session this one goes on with: their end may come here.
 */
export function eventsProblem(
  events: readonly AgentEvent[],
  startedBefore: ReadonlySet<string> = new Set(),
): string | undefined {
  let open: { readonly turn: boolean; readonly model?: string; readonly block?: string } = { turn: false };
  const tools = new Set<string>();
  const older = new Set(startedBefore);
  const ends = (callId: string): boolean => tools.delete(callId) || older.delete(callId);
  let n = 0;
  let isCompacting = false;
  for (const event of events) {
    const where = `at event ${event.n} (${event.type})`;
    if (event.n <= n) return `number ${event.n} follows ${n}`;
    n = event.n;
    switch (event.type) {
      case "turn.start":
        if (open.turn) return `a turn begins in a turn ${where}`;
        open = { turn: true };
        break;
      case "turn.end":
        if (!open.turn && event.reason !== "INTERRUPTED") return `a turn ends twice ${where}`; // a suspended turn may be interrupted
        if (open.model !== undefined || open.block !== undefined)
          return `the model is still speaking ${where}`;
        if (tools.size > 0) return `calls without end: ${[...tools].join(", ")} ${where}`;
        if (
          (event.reason === "ERROR") !== (event.error !== undefined && event.reply === undefined) &&
          event.error === undefined
        )
          return `neither a reply nor an error ${where}`;
        open = { turn: false };
        break;
      case "model.start":
        if (open.model !== undefined) return `two model calls at once ${where}`;
        open = { ...open, model: event.messageId };
        break;
      case "model.end":
        if (open.model !== event.messageId) return `a model call ends that did not begin ${where}`;
        if (open.block !== undefined) return `block ${open.block} is still open ${where}`;
        open = { turn: open.turn };
        break;
      case "block.start":
        if (open.block !== undefined) return `block ${open.block} is still open ${where}`;
        if (open.model !== event.messageId) return `a block of another message ${where}`;
        open = { ...open, block: `${event.messageId}/${event.index}` };
        break;
      case "block.delta":
        if (open.block !== `${event.messageId}/${event.index}`) return `a delta outside its block ${where}`;
        break;
      case "block.end": {
        if (open.block !== `${event.messageId}/${event.index}`)
          return `a block ends that is not open ${where}`;
        const { block: _, ...rest } = open;
        open = rest;
        break;
      }
      case "compaction.start":
      case "compaction.end":
        if (isCompacting === (event.type === "compaction.start"))
          return `a compaction without its pair ${where}`;
        isCompacting = !isCompacting;
        break;
      case "tool.start":
        if (tools.has(event.call.id)) return `call ${event.call.id} starts twice ${where}`;
        tools.add(event.call.id);
        break;
      case "tool.delta":
        if (!tools.has(event.callId)) return `progress of call ${event.callId} that does not run ${where}`;
        break;
      case "tool.end":
        if (!ends(event.callId)) return `call ${event.callId} ends that does not run ${where}`;
        break;
      case "retry":
        if (event.callId !== undefined && !ends(event.callId))
          return `call ${event.callId} is tried again without having run ${where}`;
        break;
      case "state":
      case "message":
      case "slot":
      case "pending":
      case "session.taken":
      case "agent.changed":
      case "handoff":
      case "output.partial":
      case "tool.omitted":
      case "hook.failed":
      case "input.refused":
        break;
    }
  }
  return open.turn ? "the last turn has no end" : undefined;
}
