import * as s from "../core/base/option-schema.ts";
import { AgentError, configError, errorFrom } from "../core/base/error.ts";
import { check } from "../core/base/options.ts";
import { restoreRedacted } from "../core/base/secrets.ts";
import { Transcript } from "../core/message/transcript.ts";
import type { Msg } from "../core/message/types.ts";
import { checkMessages } from "../core/message/validate.ts";
import { checkHistory } from "../session/check-history.ts";
import { restoreSession } from "../session/restore.ts";
import { savedPartsSchema, saveSession, type SavedParts } from "../session/save.ts";
import type { SessionStore } from "../store/port.ts";
import type { Decision, PendingCall } from "../core/tool/pending.ts";
import { inputProblem } from "../core/tool/prepare-input.ts";
import type { AgentCommand } from "../../machines/agent/events.ts";
import { undecidedCalls } from "../../machines/agent/updates/calls.ts";
import { promptTokens } from "../../machines/agent/updates/view.ts";
import { compactSchema, decideSchema, checkDecision, checkLimits } from "./options/call-schema.ts";
import type { CompactionResult, DecideOptions, Agent, AgentSlots } from "./types.ts";
import { messagesOf, oneMessage } from "./options/config.ts";
import type { InboxAgent } from "./inbox-agent.ts";
import type { Needed } from "./session-life.ts";
import type { Runtime } from "./runtime.ts";
import type { Turns } from "./turns.ts";
import type { Breakpoint } from "../core/tool/breakpoint.ts";
import { checkWritableByClients, readSlot, slotSchema, slotValue } from "../core/tool/slot.ts";
import { BREAKPOINTS, revisionOf } from "../core/tool/stored-slots.ts";
import type { Slot } from "../core/tool/types.ts";

type DecideCommand = Extract<AgentCommand, { readonly type: "tool.decide" }>;
type Change = Parameters<Agent["edit"]>[0];

/** Most decisions are one word, which needs no check, and have no options. */
const WORDS: ReadonlySet<Decision> = new Set<Decision>(["approve", "deny", "retry"]);
const NO_OPTIONS: DecideOptions = Object.freeze({});

const editSchema = s.lazily(() => s.func<Change>());

/** A session, and the commands to it beside calls: each is one command to its chart, and resolves when what it changed is durable. */
export abstract class SessionCommands {
  /** The session as it lives; a new runtime, which is not open yet, if it was passive. */
  protected abstract get turns(): Turns;

  protected abstract get runtime(): Runtime;

  /** Resolves when the session is open, with the messages that are `needed`; undefined if it is, so that a call begins in the same tick.
   *  `ends`: a turn that was stored while hooks ran at its end has ended then. Throws `run/closed`. */
  protected abstract between(needed?: Needed, ends?: boolean): Promise<void> | undefined;

  /** Returns the session once it is `ready`. One that is passivated while it waits is opened again. */
  protected abstract opened(ready: () => Promise<void> | undefined): Promise<Runtime>;

  async decide(
    ...[callId, decision, options = NO_OPTIONS, inputId, madeAt]: Parameters<InboxAgent["decide"]>
  ): Promise<PendingCall[]> {
    const checked = WORDS.has(decision) ? decision : checkDecision(decision);
    if (options !== NO_OPTIONS) check(decideSchema(), options, "decide");
    const { argsHash, by } = options;
    const commandAt = (at: number): DecideCommand => ({
      type: "tool.decide",
      at,
      callId,
      decision: checked,
      ...(argsHash !== undefined && { argsHash }),
      ...(by !== undefined && { decidedBy: by }),
      ...(madeAt !== undefined && { madeAt }),
    });
    await this.#checkEdit(commandAt);
    const runtime = await this.#command(commandAt, inputId);
    return [...undecidedCalls(runtime.context)];
  }

  /** Refuses an edit that the schema of the tool does not accept, with the paths. What the chart refuses is left to it. */
  async #checkEdit(commandAt: (at: number) => DecideCommand): Promise<void> {
    const { decision, callId } = commandAt(0);
    if (typeof decision !== "object" || !("edit" in decision)) return;
    const runtime = await this.#open();
    const { context, host } = runtime;
    if (runtime.refusal(commandAt(runtime.now()))) return;
    const record = context.calls.find(({ call }) => call.id === callId);
    if (!record) return; // a question of a call: what it is about knows its own schema
    const { rawInput: _, ...plain } = record.call;
    const call = { ...plain, input: restoreRedacted(decision.edit, plain.input) };
    const found = host.find(call);
    const problem = "tool" in found ? await inputProblem(found.tool, call) : undefined;
    if (problem === undefined) return;
    const message = `The edited arguments of call '${callId}' do not fit the schema of tool '${call.name}': ${problem.replace(/\.$/u, "")}.`;
    throw new AgentError("run/bad-decision", message, { data: { callId } });
  }

  interrupt(message?: string | Msg, inputId?: string): boolean {
    const note = message === undefined ? undefined : oneMessage(message, "interrupt");
    return this.#offer(
      (at) => ({ type: "run.interrupt", at, cause: "user", ...(note && { message: note }) }),
      inputId,
    );
  }

  steer(given: string | Msg, inputId?: string): boolean {
    const message = oneMessage(given, "steer");
    return this.#offer((at) => ({ type: "run.steer", at, message }), inputId);
  }

  async extendBudget(...[extra, inputId]: Parameters<InboxAgent["extendBudget"]>): Promise<void> {
    checkLimits(extra, "extendBudget");
    await this.#command((at) => ({ type: "budget.extend", at, extra }), inputId);
  }

  async compact(...[options = {}, inputId]: Parameters<InboxAgent["compact"]>): Promise<CompactionResult> {
    check(compactSchema(), options, "compact");
    const runtime = await this.#open();
    const tokensBefore = promptTokens(runtime.context);
    const { view } = runtime.context;
    await runtime.command({ type: "session.compact", at: runtime.now(), ...options }, inputId);
    await runtime.rested();
    const { context } = runtime;
    const error = context.view === view ? context.progress.compactions?.last?.error : undefined;
    if (error && inputId === undefined) throw errorFrom(error);
    return { tokensBefore, tokensAfter: promptTokens(context), from: context.view?.from ?? 0 };
  }

  /** See {@link Agent.edit}. `change` and the command run in one tick, so that no step comes in between. */
  async edit(change: Change): Promise<void> {
    check(editSchema(), change, "edit", "The change");
    const runtime = await this.#open("all");
    runtime.assertAccepts("call");
    const { context } = runtime;
    const before = context.transcript.slice();
    const at = runtime.now();
    const refused = runtime.refusal({ type: "session.edit", at, messages: before });
    if (refused) throw errorFrom(refused);
    const messages = checkMessages(change(before), "edit: the messages");
    checkHistory({ ...context, transcript: Transcript.of(messages) }, "edit", "message/invalid");
    await runtime.command({ type: "session.edit", at, messages });
    await runtime.saved();
  }

  async observe(given: Msg | readonly Msg[]): Promise<void> {
    const messages = messagesOf(given);
    await this.#command((at) => ({ type: "session.observe", at, messages }));
  }

  async saveTo(store: SessionStore, key: string, parts: SavedParts = {}): Promise<void> {
    check(savedPartsSchema(), parts, "saveTo");
    const runtime = await this.opened(() => this.between("all", false));
    const { redact } = runtime.host.config.sessionOptions ?? {};
    const now = (): number => runtime.now();
    await saveSession(store, key, runtime.journalState(), { now, parts, ...(redact && { redact }) });
  }

  async loadIfExists(store: SessionStore, key: string, parts: SavedParts = {}): Promise<boolean> {
    check(savedPartsSchema(), parts, "loadIfExists");
    const open = (): Promise<Runtime> => this.opened(() => this.between("all", false));
    const { settings } = await open();
    this.turns.assertIdle();
    const stored = await restoreSession(store, key, settings);
    await stored?.context.transcript.load(); // the journal notes what is replaced by what
    await open();
    const { turns } = this;
    turns.assertIdle();
    if (stored) turns.runtime.load(stored, parts);
    await turns.runtime.saved();
    return stored !== undefined;
  }

  async #open(needed?: Needed): Promise<Runtime> {
    const runtime = await this.opened(() => this.between(needed));
    runtime.assertAccepts("command");
    return runtime;
  }

  /** Gives a command to the open session, and returns it when what the command changed is durable. */
  async #command(commandAt: (at: number) => AgentCommand, inputId?: string): Promise<Runtime> {
    const runtime = await this.#open();
    await runtime.command(commandAt(runtime.now()), inputId);
    await runtime.saved();
    return runtime;
  }

  /** Gives a command that the chart accepts, and begins to save what it changed; false for one that it refuses. */
  #offer(commandAt: (at: number) => AgentCommand, inputId?: string): boolean {
    const { runtime } = this;
    const command = commandAt(runtime.now());
    if (!runtime.isOpen || runtime.refusal(command)) return false;
    runtime.command(command, inputId).catch(() => {});
    runtime.journal.save();
    return true;
  }
}

const seenSchema = s.lazily(() => s.options<{ readonly revision: number }>({ revision: s.integer(0) }));

/** Reads and writes the slots of a session from outside. `opened` resolves with it when it is open. */
export function agentSlots(
  runtimeOf: () => Runtime,
  opened: () => Promise<Runtime>,
): AgentSlots & Pick<InboxAgent, "writeSlot"> {
  const unknown = (from: string, name: string): AgentError =>
    configError(
      `${from}: the agent has no slot '${name}'; give it in \`slots\`, or in \`writes\` of a tool or a hook.`,
    );
  const write = async (slot: Slot, given: unknown, seen?: number, inputId?: string): Promise<void> => {
    const { name, version } = slot;
    const taken = slotValue(slot, given);
    if ("problem" in taken)
      throw new AgentError("slot/invalid", `The value of slot '${name}' ${taken.problem}.`);
    const { value } = taken;
    if (name === BREAKPOINTS) {
      const problem = (await import("./breakpoints/names.ts")).nameProblem(value as readonly Breakpoint[]);
      if (problem !== undefined) throw new AgentError("slot/invalid", problem);
    }
    const runtime = await opened();
    const at = runtime.now();
    const command = { type: "slot.write", at, name, value, version } as const;
    await runtime.command({ ...command, ...(seen !== undefined && { seen }) }, inputId);
    await runtime.saved();
  };
  return {
    async get(slot) {
      const { slots } = (runtimeOf().isStopped ? runtimeOf() : await opened()).context;
      return { value: readSlot(slot, slots), revision: revisionOf(slots, slot.name) };
    },
    async set(slot, value, seen) {
      check(slotSchema(), slot, "slots.set", "The slot");
      if (seen !== undefined) check(seenSchema(), seen, "slots.set", "The third argument");
      const { toolkit } = (await opened()).host;
      const isKnown = toolkit.hasSlot(slot as Slot) || (await toolkit.writableSlot(slot.name)) === slot;
      if (!isKnown) throw unknown("slots.set", slot.name);
      await write(slot as Slot, value, seen?.revision);
    },
    async writeSlot(name, value, seen, inputId) {
      const slot = await (await opened()).host.toolkit.writableSlot(name);
      if (!slot) throw unknown("writeSlot", name);
      checkWritableByClients(slot);
      await write(slot, value, seen, inputId);
    },
  };
}
