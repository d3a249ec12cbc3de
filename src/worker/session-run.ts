import { delayOf } from "../core/base/time.ts";
import { causedBy } from "../agent/steps.ts";
import type { InboxAgent } from "../agent/inbox-agent.ts";
import { AgentError, errorInfo, type ErrorInfo } from "../core/base/error.ts";
import type { JsonObject } from "../core/base/json.ts";
import { LEASED_INPUTS } from "../store/lease.ts";
import type { SessionInput, SessionStore } from "../store/port.ts";
import { dueTime } from "../store/shared.ts";
import type { Schema } from "../core/tool/types.ts";
import { parseCommand, type InboxCommand, isDeferred, type TextWaits } from "./inbox.ts";
import { promiseReport, tellReport, type Put } from "./turn-report.ts";

/** The number of inputs that are read first; if there are more, all are read. */
const PAGE = 200;
const NO_TURN: ErrorInfo = { code: "run/invalid-event", message: "No turn was running or suspended." };
const CANCELLED: ErrorInfo = { code: "run/aborted", message: "It was cancelled before it was processed." };

type CompactCommand = Extract<InboxCommand, { readonly kind: "compact" }>;
type ReportCommand = Extract<InboxCommand, { readonly kind: "report" }>;
type TurnCommand = Exclude<InboxCommand, { readonly kind: "call" | "decide" | "compact" | "report" }>;
/** The kinds of commands that wait for a session at rest. */
const AT_REST: ReadonlySet<string> = new Set(["call", "decide", "compact", "report"]);

/** Parses a command that a running turn can process; undefined for other inputs and for invalid ones. */
function parseTurnCommand(data: JsonObject): TurnCommand | undefined {
  try {
    const command = parseCommand(data);
    return AT_REST.has(command.kind) ? undefined : (command as TurnCommand);
  } catch {
    return undefined;
  }
}

/** Options of a {@link SessionRun}. */
export type SessionRunOptions = {
  readonly agent: InboxAgent;
  readonly store: SessionStore;
  readonly now: () => number;
  /** The interval at which the inbox is read while a turn runs, ms. */
  readonly pollMs: number;
  /** The inputs that came with the lease of the session; absent: they are read. */
  readonly found?: readonly SessionInput[] | undefined;
  /** The queue delivers the next wake-up of the session once this one was followed. */
  readonly isQueued: boolean;
  /** The schema of the answer of each turn; undefined: text. */
  readonly output: Schema | undefined;
  /** While which calls are open text stays in the inbox. */
  readonly textWaits: TextWaits;
  readonly put: Put;
  /** Called when an input takes effect. */
  readonly onAccepted: (input: SessionInput, command: InboxCommand) => void;
  /** Called when the agent has refused an input. */
  readonly onRefused: (input: SessionInput, kind: string, error: ErrorInfo) => void;
};

/**
 * Drives the open agent of one session from its inbox until the session is at rest and no input is due.
 *
 * R1 Inputs are processed in order, one after the other, but a cancellation before all others. While a turn runs, commands for
 *    that turn are processed at once. Text that comes while calls are open stays in the inbox until none is open, or is refused, as the agent wants
 *    it. A report of a turn
 *    comes right after that turn, before other inputs.
 * R2 An input is acknowledged by the append that stores its effect or its refusal, never otherwise.
 * R3 Once the agent is closed nothing more is done; the remaining inputs stay in the store.
 * R4 The inbox is not read again once all that it had has taken effect, unless a signal says that there is more: the queue delivers the
 *    wake-up of an input that comes meanwhile once this one was followed, and the sweep finds one whose wake-up was lost.
 * R5 The append that brings the session to rest ends the lease as well, where the store can, unless an input is due that it does not
 *    acknowledge: then the inbox is read again. The wake-up of an input that comes later finds the session free.
 */
export class SessionRun {
  readonly #options: SessionRunOptions;
  readonly #agent: InboxAgent;
  /** Ids of inputs that have taken effect but may not be acknowledged yet. */
  readonly #applied = new Set<string>();
  /** The ids of the inputs that the inbox had when it was read last; undefined: it may have others. */
  #known: ReadonlySet<string> | undefined;
  #found: readonly SessionInput[] | undefined;
  #isNudged = false;
  #nudges = 0;
  #wake = (): void => {};

  constructor(options: SessionRunOptions) {
    this.#options = options;
    this.#agent = options.agent;
    if (options.found && options.found.length < LEASED_INPUTS) this.#found = options.found;
  }

  /** Says that the inbox may have a new input. */
  nudge(): void {
    this.#isNudged = true;
    this.#nudges++;
    this.#known = undefined;
    this.#wake();
  }

  /** Resolves when the session is at rest and no input is due, or the agent is closed. */
  async drive(): Promise<void> {
    const agent = this.#agent;
    let hasContinued = false;
    while (!agent.closedBy && !agent.journal.isReleased) {
      const { phase } = agent.status();
      const input = phase === "unfinished" ? undefined : await this.#next();
      if (input) {
        hasContinued = false;
        await this.#process(input);
        if (agent.journal.isReleased === false) this.#known = undefined; // another one has come
      } else if (!hasContinued && (phase === "unfinished" || this.#isWakeDue())) {
        hasContinued = true;
        const { output } = this.#options;
        await this.#runTurn(() => agent.call([], output && { output }));
      } else return;
    }
  }

  /** True if there is nothing to do any more once the session rests as it does now, unless its inbox has an input that is due. */
  get isLast(): boolean {
    const { phase } = this.#agent.status();
    return (phase === "stopped" || phase === "suspended") && !this.#isWakeDue();
  }

  #isWakeDue(): boolean {
    return (this.#agent.wakeAt() ?? Infinity) <= this.#options.now();
  }

  /** See R4. */
  #isDone(): boolean {
    return this.#known !== undefined && [...this.#known].every((id) => this.#applied.has(id));
  }

  /** Returns the next input to process. A cancellation comes first, because it refuses the inputs before it, and then the report of a
   *  turn that was just made. */
  async #next(): Promise<SessionInput | undefined> {
    const { textWaits } = this.#options;
    if (this.#options.isQueued && this.#isDone()) return undefined;
    const due = await this.#due();
    const cancellation = due.find(({ data }) => data["kind"] === "cancel");
    if (cancellation) return cancellation;
    const ready = due.filter((input) => !isDeferred(input, this.#agent.status(), textWaits));
    const isMade = ({ data: { kind, of } }: SessionInput): boolean =>
      kind === "report" && !due.some(({ id }) => id === of);
    return ready.find(isMade) ?? ready.find(({ data }) => data["kind"] !== "report");
  }

  /** Returns the inputs that are due and have not taken effect, in order. */
  async #due(): Promise<readonly SessionInput[]> {
    const { now } = this.#options;
    return (await this.#waiting()).filter((input) => dueTime(input) <= now());
  }

  /** Returns the inputs that have not taken effect, in order. */
  async #waiting(): Promise<readonly SessionInput[]> {
    const nudges = this.#nudges;
    const found = this.#found;
    this.#found = undefined;
    const inputs = found ?? (await this.#read());
    if (nudges === this.#nudges) this.#known = new Set(inputs.map(({ id }) => id));
    return inputs.filter(({ id }) => !this.#applied.has(id));
  }

  async #read(): Promise<readonly SessionInput[]> {
    const { store } = this.#options;
    const { sessionId } = this.#agent;
    const page = await store.takeInputs(sessionId, PAGE);
    return page.length < PAGE ? page : store.takeInputs(sessionId, Number.MAX_SAFE_INTEGER);
  }

  /** Processes an input while the session is at rest. */
  async #process(input: SessionInput): Promise<void> {
    const agent = this.#agent;
    let command: InboxCommand;
    try {
      command = parseCommand(input.data);
    } catch (error) {
      return this.#refuse(input, "unknown", errorInfo(error, "message/invalid"));
    }
    if (command.kind === "call" || command.kind === "notify") {
      const messages = command.kind === "call" ? command.messages : [command.message];
      const { output } = this.#options;
      const clientTools = command.kind === "call" ? command.clientTools : undefined;
      const options = { ...(output && { output }), ...(clientTools && { clientTools }) };
      await this.#promiseReport(input, command);
      const refusal = agent.refusalOf(messages);
      if (refusal) return this.#refuse(input, command.kind, refusal);
      this.#markAccepted(input, command);
      return this.#runTurn(() => causedBy("worker", () => agent.begin(messages, input.id, options)));
    }
    if (command.kind === "report") return this.#report(input, command);
    if (command.kind === "compact") return this.#compact(input, command);
    try {
      if (await causedBy("worker", () => this.#execute(input, command))) this.#markAccepted(input, command);
      else await this.#refuse(input, command.kind, NO_TURN);
      await agent.rest();
    } catch (error) {
      if (agent.closedBy) throw error;
      await this.#refuse(input, command.kind, errorInfo(error, "message/invalid"));
    }
  }

  /** Executes a command. Returns false, and does nothing, if there is no turn for it. */
  async #execute(
    input: SessionInput,
    command: Exclude<InboxCommand, { readonly kind: "call" | "compact" | "report" }>,
  ): Promise<boolean> {
    const agent = this.#agent;
    const { id } = input;
    switch (command.kind) {
      case "decide": {
        const { callId, decision, argsHash, by, at } = command;
        const options = { ...(argsHash !== undefined && { argsHash }), ...(by !== undefined && { by }) };
        await agent.decide(callId, decision, options, id, at);
        return true;
      }
      case "extendBudget":
        await agent.extendBudget(command.extra, id);
        return true;
      case "setSlot":
        await agent.writeSlot(command.name, command.value, command.revision, id);
        return true;
      case "steer":
      case "notify":
        return agent.steer(command.message, id);
      case "cancel":
        await this.#refuseEarlierCalls(input, command.at);
        return agent.interrupt(undefined, id);
      case "interrupt":
        return agent.interrupt(command.message, id);
    }
  }

  /** Sums up the conversation; commands that come meanwhile may interrupt it. */
  async #compact(input: SessionInput, command: CompactCommand): Promise<void> {
    const { instructions } = command;
    const options = instructions === undefined ? {} : { instructions };
    let refusal: unknown;
    await this.#runTurn(() =>
      causedBy("worker", () => this.#agent.compact(options, input.id)).then(
        () => this.#markAccepted(input, command),
        (error: unknown) => {
          refusal = error;
        },
      ),
    );
    if (refusal === undefined) return;
    if (this.#agent.closedBy) throw refusal;
    await this.#refuse(input, "compact", errorInfo(refusal, "message/invalid"));
  }

  async #promiseReport(input: SessionInput, command: InboxCommand): Promise<void> {
    if (command.kind !== "call" || command.reportTo === undefined) return;
    this.#known = undefined; // its report is another input
    await promiseReport(this.#options.store, this.#agent.sessionId, input, command);
  }

  async #report(input: SessionInput, command: ReportCommand): Promise<void> {
    const { store, put, now } = this.#options;
    await this.#agent.rest();
    await tellReport(store, put, this.#agent.sessionId, { id: input.id, command, at: now() });
    await this.#agent.acknowledge(input.id);
    this.#markAccepted(input, command);
  }

  /** Refuses the calls before an input in the inbox, and those dispatched before it that are not due yet. */
  async #refuseEarlierCalls({ id }: SessionInput, at: number): Promise<void> {
    let isBefore = true;
    for (const each of await this.#waiting()) {
      isBefore &&= each.id !== id;
      const { kind = "call", at: since = 0 } = each.data as { readonly kind?: string; readonly at?: number };
      const wasBefore = isBefore || (each.dueAt !== undefined && since <= at);
      if ((kind !== "call" && kind !== "notify") || !wasBefore) continue;
      await this.#promiseReport(each, each.data as InboxCommand);
      await this.#refuse(each, kind, CANCELLED);
    }
  }

  /** Runs a turn, and delivers the commands that come for it. */
  async #runTurn(begin: () => Promise<unknown>): Promise<void> {
    const turn = { isOver: false };
    const watching = this.#watchInbox(turn);
    try {
      await begin();
    } catch (error) {
      if (!AgentError.is(error)) throw error; // an AgentError is the outcome of the turn, which is stored
    } finally {
      turn.isOver = true;
      this.#wake();
      await watching;
    }
  }

  /** Reads the inbox when nudged and periodically, until the turn is over. */
  async #watchInbox(turn: { readonly isOver: boolean }): Promise<void> {
    while (!turn.isOver) {
      if (!this.#isNudged) {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        const timer = setTimeout(resolve, delayOf(this.#options.pollMs));
        await promise;
        clearTimeout(timer);
      }
      this.#isNudged = false;
      if (!turn.isOver) await this.#deliverToTurn().catch(() => {}); // it is read again soon, or when the turn has ended
    }
  }

  /** Delivers the commands in the inbox that are for the running turn. */
  async #deliverToTurn(): Promise<void> {
    for (const input of await this.#due()) {
      const command = parseTurnCommand(input.data);
      if (!command || this.#agent.status().phase !== "running") continue;
      // An error is reported when the command is processed at rest.
      if (await this.#execute(input, command).catch(() => false)) this.#markAccepted(input, command);
    }
  }

  #markAccepted(input: SessionInput, command: InboxCommand): void {
    this.#applied.add(input.id);
    this.#options.onAccepted(input, command);
  }

  async #refuse(input: SessionInput, kind: string, error: ErrorInfo): Promise<void> {
    await this.#agent.refuse(input.id, error);
    this.#applied.add(input.id);
    this.#options.onRefused(input, kind, error);
  }
}
