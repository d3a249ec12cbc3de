import { callAround } from "../../core/event/conversation/inner-event.ts";
import type { AgentEvent } from "../../core/event/types.ts";

/** An agent that works inside of a call. */
export type Subagent = {
  /** The call. The agent's session is `SESSION/CALLID` unless its tool says otherwise, and can be shown with `useAgent` too. */
  readonly callId: string;
  readonly name: string;
  /** The text that it is writing: the text so far of the answer that is not stored yet; "" while it writes none. */
  readonly text: string;
};

/** Folds the events of a session into the agents that work inside of its calls. */
export class SubagentFold {
  /** The calls that have begun, with the agent that works inside of each. */
  readonly #calls = new Map<string, Subagent | undefined>();
  #working: readonly Subagent[] = [];

  /** The same object until something changes. */
  get working(): readonly Subagent[] {
    return this.#working;
  }

  push(event: AgentEvent): void {
    if (event.source) return this.#follow(event, event.source);
    if (event.type === "tool.start") this.#calls.set(event.call.id, undefined);
    else if (event.type === "tool.end") this.#end([event.callId]);
    else if (event.type === "turn.end") this.#end([...this.#calls.keys()]);
  }

  #follow(event: AgentEvent, [name = "", ...deeper]: readonly string[]): void {
    const callId = callAround(event, this.#calls.keys());
    if (callId === undefined) return;
    const before = this.#calls.get(callId);
    const text = deeper.length > 0 ? before?.text : textAfter(event, before?.text);
    if (before && text === before.text) return;
    this.#calls.set(callId, { callId, name, text: text ?? "" });
    this.#change();
  }

  #end(calls: readonly string[]): void {
    const hasWorked = calls.some((call) => this.#calls.get(call));
    for (const call of calls) this.#calls.delete(call);
    if (hasWorked) this.#change();
  }

  #change(): void {
    this.#working = [...this.#calls.values()].filter((each) => each !== undefined);
  }
}

/** Returns the text that an agent is writing after one more event of it. */
function textAfter(event: AgentEvent, text = ""): string {
  if (event.type === "model.start" || event.type === "message") return "";
  return event.type === "block.delta" && event.kind === "text" ? text + event.delta : text;
}
