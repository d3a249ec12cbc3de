import type { Command, CommandType } from "../protocol/protocol.ts";

type Event = { readonly type: string; readonly callId?: string };

/** The events that a command causes, each at most once. */
const CAUSED: { readonly [type in CommandType]: readonly string[] } = {
  decide: ["tool.decide", "call"],
  extendBudget: ["budget.extend", "call"],
  interrupt: ["run.interrupt"],
  steer: ["run.steer"],
  send: ["call"],
  shutdown: ["run.shutdown"],
  resume: ["call", "session.resume"],
  fork: [],
  forkPlan: [],
};

/** Tells the events that commands of the inspector cause from those of the program. */
export class AskedEvents {
  readonly #due = new Set<{ readonly command: Command; readonly types: Set<string> }>();

  /** Does what a command asks for; its events are asked for as long as that lasts. */
  async during<T>(command: Command, work: () => Promise<T>): Promise<T> {
    const due = { command, types: new Set(CAUSED[command.type]) };
    this.#due.add(due);
    try {
      return await work();
    } finally {
      this.#due.delete(due);
    }
  }

  /** True for an event that a command causes; it is not due any more then. */
  take({ type, callId }: Event): boolean {
    for (const { command, types } of this.#due) {
      const isOther = type === "tool.decide" && command.type === "decide" && command.callId !== callId;
      if (!isOther && types.delete(type)) return true;
    }
    return false;
  }
}
