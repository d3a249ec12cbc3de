import type { RunCommand, RunCommandType } from "../protocol/protocol.ts";

type MachineEvent = { readonly type: string; readonly callId?: string };

/** The types of the events that each command causes, at most once each. */
const CAUSED_EVENTS: { readonly [type in RunCommandType]: readonly string[] } = {
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

/**
 * Attributes events to the inspector's commands: distinguishes the events that a command causes from those of
 * the program.
 */
export class CommandAttribution {
  readonly #running = new Set<{ readonly command: RunCommand; readonly types: Set<string> }>();

  /** Runs `work` for a command. While it runs, the events of the command are attributed to it. */
  async during<T>(command: RunCommand, work: () => Promise<T>): Promise<T> {
    const entry = { command, types: new Set(CAUSED_EVENTS[command.type]) };
    this.#running.add(entry);
    try {
      return await work();
    } finally {
      this.#running.delete(entry);
    }
  }

  /** True if a running command causes the event. Each command claims an event type once. */
  claim({ type, callId }: MachineEvent): boolean {
    for (const { command, types } of this.#running) {
      const isOther = type === "tool.decide" && command.type === "decide" && command.callId !== callId;
      if (!isOther && types.delete(type)) return true;
    }
    return false;
  }
}
