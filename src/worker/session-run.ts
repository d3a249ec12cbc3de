import type { InboxAgent } from "../agent/inbox-agent.ts";
import { AgentError, errorInfo, type ErrorInfo } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import type { SessionInput, SessionStore } from "../store/port.ts";
import { dueTime } from "../store/due.ts";
import { commandOf, type Command } from "./command.ts";
import { mustWait } from "./inbox.ts";

/** Inputs read at once; a session with more of them that wait has them all read. */
const PAGE = 200;
const NOBODY_RAN: ErrorInfo = { code: "run/invalid-event", message: "No turn was running or suspended." };
const CANCELLED: ErrorInfo = { code: "run/aborted", message: "It was cancelled before it was taken in." };

type TurnCommand = Exclude<Command, { readonly kind: "call" | "decide" }>;

/** A command that concerns the turn that runs; undefined for others, and for what is none. */
function turnCommandOf(data: JsonObject): TurnCommand | undefined {
  try {
    const command = commandOf(data);
    return command.kind === "call" || command.kind === "decide" ? undefined : command;
  } catch {
    return undefined;
  }
}

export type SessionRunOptions = {
  readonly agent: InboxAgent;
  readonly store: SessionStore;
  readonly now: () => number;
  /** How often the inbox is looked at while a turn runs, ms. */
  readonly pollMs: number;
  /** Text waits in the inbox while calls are open. */
  readonly holdsText: boolean;
  readonly taken: (input: SessionInput, command: Command) => void;
  readonly refused: (input: SessionInput, kind: string, error: ErrorInfo) => void;
};

/**
 * Drives one session, whose agent is open, from its inbox until it is at rest and nothing is due.
 *
 * R1 Inputs are taken in order, one after the other, but a cancellation before all others; while a turn runs, what concerns
 *    that turn is taken at once, and text that came while calls are open waits until they are not.
 * R2 An input is acknowledged by the append that stores its effect or its refusal, never otherwise.
 * R3 When the agent is gone nothing more is done: whatever is left lies in the store.
 */
export class SessionRun {
  readonly #options: SessionRunOptions;
  readonly #agent: InboxAgent;
  /** Inputs that have taken effect but may not be acknowledged yet. */
  readonly #done = new Set<string>();
  #isNudged = false;
  #wake = (): void => {};

  constructor(options: SessionRunOptions) {
    this.#options = options;
    this.#agent = options.agent;
  }

  /** The inbox is worth a look. */
  nudge(): void {
    this.#isNudged = true;
    this.#wake();
  }

  async drive(): Promise<void> {
    const agent = this.#agent;
    let hasGoneOn = false;
    while (!agent.closedBy) {
      const { phase } = agent.status();
      const input = phase === "unfinished" ? undefined : await this.#next();
      if (input) {
        hasGoneOn = false;
        await this.#take(input);
      } else if (!hasGoneOn && (phase === "unfinished" || this.#canGoOn())) {
        hasGoneOn = true;
        await this.#turn(() => agent.call());
      } else return;
    }
  }

  #canGoOn(): boolean {
    return (this.#agent.wakeAt() ?? Infinity) <= this.#options.now();
  }

  /** A cancellation comes first: what it drops must not be begun. */
  async #next(): Promise<SessionInput | undefined> {
    const { holdsText } = this.#options;
    const due = await this.#due();
    const cancellation = due.find(({ data }) => data["kind"] === "cancel");
    return cancellation ?? due.find((input) => !(holdsText && mustWait(input, this.#agent.status())));
  }

  /** The inputs that are due and have not taken effect, in order. */
  async #due(): Promise<readonly SessionInput[]> {
    const { now } = this.#options;
    return (await this.#waiting()).filter((input) => dueTime(input) <= now());
  }

  /** The inputs that have not taken effect, in order. */
  async #waiting(): Promise<readonly SessionInput[]> {
    const { store } = this.#options;
    const { sessionId } = this.#agent;
    const page = await store.takeInputs(sessionId, PAGE);
    const inputs = page.length < PAGE ? page : await store.takeInputs(sessionId, Number.MAX_SAFE_INTEGER);
    return inputs.filter(({ id }) => !this.#done.has(id));
  }

  /** Takes an input while the session is at rest. */
  async #take(input: SessionInput): Promise<void> {
    const agent = this.#agent;
    let command: Command;
    try {
      command = commandOf(input.data);
    } catch (error) {
      return this.#refuse(input, "unknown", errorInfo(error, "message/invalid"));
    }
    if (command.kind === "call") {
      const { messages } = command;
      this.#took(input, command);
      return this.#turn(() => agent.begin(messages, input.id));
    }
    try {
      if (await this.#tell(input, command)) this.#took(input, command);
      else await this.#refuse(input, command.kind, NOBODY_RAN);
      await agent.rest();
    } catch (error) {
      if (agent.closedBy) throw error;
      await this.#refuse(input, command.kind, errorInfo(error, "message/invalid"));
    }
  }

  /** Does what a command says, or nothing and gives false. */
  async #tell(input: SessionInput, command: Exclude<Command, { readonly kind: "call" }>): Promise<boolean> {
    const agent = this.#agent;
    const { id } = input;
    switch (command.kind) {
      case "decide": {
        const { callId, decision, argsHash, at } = command;
        await agent.decide(callId, decision, argsHash === undefined ? undefined : { argsHash }, id, at);
        return true;
      }
      case "extendBudget":
        await agent.extendBudget(command.extra, id);
        return true;
      case "steer":
        return agent.steer(command.message, id);
      case "cancel":
        await this.#dropBefore(input, command.at);
        return agent.interrupt(undefined, id);
      case "interrupt":
        return agent.interrupt(command.message, id);
    }
  }

  /** Refuses the calls that stand before an input, and those dispatched before it that are not due yet. */
  async #dropBefore({ id }: SessionInput, at: number): Promise<void> {
    let isBefore = true;
    for (const each of await this.#waiting()) {
      isBefore &&= each.id !== id;
      const { kind = "call", at: since = 0 } = each.data as { readonly kind?: string; readonly at?: number };
      const wasBefore = isBefore || (each.dueAt !== undefined && since <= at);
      if (kind === "call" && wasBefore) await this.#refuse(each, "call", CANCELLED);
    }
  }

  /** Runs a turn, and hands it what comes for it meanwhile. */
  async #turn(begin: () => Promise<unknown>): Promise<void> {
    const turn = { isOver: false };
    const watching = this.#watch(turn);
    try {
      await begin();
    } catch (error) {
      if (!AgentError.is(error)) throw error; // an AgentError is the outcome of the turn, told and stored
    } finally {
      turn.isOver = true;
      this.#wake();
      await watching;
    }
  }

  /** Looks into the inbox when nudged and now and then, until the turn is over. */
  async #watch(turn: { readonly isOver: boolean }): Promise<void> {
    while (!turn.isOver) {
      if (!this.#isNudged) {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        const timer = setTimeout(resolve, this.#options.pollMs);
        await promise;
        clearTimeout(timer);
      }
      this.#isNudged = false;
      if (!turn.isOver) await this.#hand().catch(() => {}); // looked at again soon, or when the turn has ended
    }
  }

  /** Hands the running turn the commands that are for it. */
  async #hand(): Promise<void> {
    for (const input of await this.#due()) {
      const command = turnCommandOf(input.data);
      if (!command || this.#agent.status().phase !== "running") continue;
      const isTold = await this.#tell(input, command).catch(() => false); // what is wrong with it is told at rest
      if (isTold) this.#took(input, command);
    }
  }

  #took(input: SessionInput, command: Command): void {
    this.#done.add(input.id);
    this.#options.taken(input, command);
  }

  async #refuse(input: SessionInput, kind: string, error: ErrorInfo): Promise<void> {
    await this.#agent.refuse(input.id, error);
    this.#done.add(input.id);
    this.#options.refused(input, kind, error);
  }
}
