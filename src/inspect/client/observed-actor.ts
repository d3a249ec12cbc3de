import type { AnyStateMachine } from "xstate";
import { isObject, type Json } from "../../core/base/json.ts";
import { REDACTED } from "../../core/base/secrets.ts";
import type { ActorInfo, ActorKind } from "../protocol/actor-info.ts";
import { stateName, type ActorBreak } from "../protocol/actor-break.ts";
import type { EncodeLimits } from "../protocol/encode.ts";
import type { RunRow } from "../protocol/protocol.ts";
import { machineChart, statusChart, statusOf, type ActorChart, type ActorSnapshot } from "./actor-chart.ts";
import { kindByEvent, kindOf, machineOf, type ReadActor } from "./actor-kind.ts";
import { foreignJson, PAYLOAD_LIMITS } from "./foreign-value.ts";
import { ActorSteps, NOTHING, type Microstep } from "./actor-steps.ts";
import type { StepBudget } from "./step-budget.ts";
import { ActorGate } from "./actor-gate.ts";
import { History, type HistoryLimits } from "./history.ts";
import { ShownValues } from "./shown-values.ts";
import type { ReportedRun, RunReport, WorkerInfo } from "./reported-run.ts";
import { guarded } from "../../core/base/guarded.ts";

/** An event that was sent to an actor. */
export type Sent = {
  readonly event: unknown;
  /** The place among the events of the system, and the run of the sender. */
  readonly order: number;
  readonly from: string | undefined;
  /** Epoch ms. */
  readonly at: number;
};

/** The relations of an actor to its system. */
type ActorPlace = {
  readonly runId: string;
  readonly system: string;
  readonly parent: string | undefined;
  readonly keep: HistoryLimits;
  readonly redact: ((value: Json) => Json) | undefined;
  readonly budget: StepBudget;
  /** Says what is left out of the actor, or of its system; "" if nothing is. */
  readonly leftOut: () => string;
  /** Is called when an event waits for the actor, or it goes on by itself; absent if nobody may hold it. */
  readonly held: (() => void) | undefined;
};

const MAX_NAME = 200;
/** The limits of what `redact` returns: it may make a value that was cut somewhat longer. */
const REDACTED_LIMITS: EncodeLimits = { string: 4_000, depth: 20, nodes: 4_000, characters: 120_000 };
const MAX_MESSAGE = 500;
/**
 * An actor of a system that is not ours, and what was recorded of it. Contexts and events are read at once, since a program may change them;
 * the text of a step is made later.
 */
export class ObservedActor implements ReportedRun {
  readonly runId: string;
  /** Holds the actor between two events; absent if nobody may ask for it. */
  readonly gate: ActorGate | undefined;
  readonly #actor: ReadActor;
  readonly #machine: AnyStateMachine | undefined;
  readonly #place: ActorPlace;
  #kind: ActorKind;
  #chart: ActorChart;
  readonly #startedAt = Date.now();
  #snapshot: ActorSnapshot = {};
  readonly #values: ShownValues;
  readonly #history: History;
  readonly #steps: ActorSteps;
  /** The parts of the step that XState has told so far, and the snapshot after the newest microstep. */
  #microsteps: Microstep[] = [];
  #actions: string[] = [];
  #within: ActorSnapshot | undefined;
  /** The reason for which the actor is shown as stopped, although nobody stopped it. */
  #ending = "";

  constructor(actor: ReadActor, place: ActorPlace) {
    this.#actor = actor;
    this.#place = place;
    this.runId = place.runId;
    this.#values = new ShownValues(place.redact && ((value) => this.#redacted(value)));
    this.#kind = guarded(() => kindOf(actor)) ?? "actor";
    const machine = machineOf(actor);
    this.#machine = machine;
    if ((machine || this.#kind === "transition") && place.held) this.gate = new ActorGate(actor, place.held);
    this.#chart = (machine && guarded(() => machineChart(machine))) ?? statusChart(this.#kind);
    this.#history = new History(place.keep);
    this.#steps = new ActorSteps(this.#chart, machine, {
      history: this.#history,
      budget: place.budget,
      keep: () => {
        const shown = this.#values.shown();
        return () => shown;
      },
    });
  }

  /** The recorded steps. */
  get history(): History {
    this.write();
    return this.#history;
  }

  get hasBegun(): boolean {
    return this.#steps.hasBegun;
  }

  get kind(): ActorKind {
    return this.#kind;
  }

  get chart(): ActorChart {
    return this.#chart;
  }

  /** True once the actor has come to its end. */
  get hasEnded(): boolean {
    return statusOf(this.#snapshot) !== "active";
  }

  /** The session of the agent that the actor is; undefined for another actor. */
  get sessionId(): string | undefined {
    if (this.#kind !== "agent") return undefined;
    const { sessionId } = this.#actor.getSnapshot() as { readonly sessionId?: unknown };
    return typeof sessionId === "string" ? sessionId : undefined;
  }

  /** Notes the transitions of a microstep, and the snapshot after it. */
  took(transitions: readonly object[], after?: ActorSnapshot): void {
    const step = { transitions, before: this.#within ?? this.#snapshot, after };
    if (this.#microsteps.length > 0) this.#microsteps.push(step);
    else this.#microsteps = [step]; // without room for more
    this.#within = after;
  }

  /** Notes an action that runs. */
  ran(action: string): void {
    this.#actions.push(action.slice(0, MAX_NAME));
  }

  /** Forgets what was noted of a step that is not recorded. */
  skip(snapshot: ActorSnapshot): void {
    this.#snapshot = snapshot;
    this.#forget();
    if (this.gate?.asksForStates) this.gate.isIn(this.#names());
  }

  /** Replaces the conditions at which the actor is paused. */
  breakAt(breaks: readonly ActorBreak[]): void {
    this.gate?.breakAt(breaks, this.#names());
  }

  #names(): readonly string[] {
    const states = this.#steps.statesOf(this.#snapshot.value, statusOf(this.#snapshot));
    return states.slice(1).map((id) => stateName(id, states[0]!));
  }

  #forget(): void {
    this.#microsteps = [];
    this.#actions = [];
    this.#within = undefined;
  }

  /** Shows the actor as stopped, although nobody stopped it. */
  end(reason: string): void {
    this.#snapshot = { ...this.#snapshot, status: "stopped" };
    this.#ending = reason;
  }

  /** Records a step, after `omitted` ones that were not recorded. If there is no time for it, it does not read the context. */
  record(sent: Sent, snapshot: ActorSnapshot, omitted: number, readsContext: boolean): void {
    const { order, from, at } = sent;
    const event = sent.event as object;
    const microsteps = this.#microsteps;
    const actions = this.#actions;
    this.#forget();
    this.#snapshot = snapshot;
    const status = statusOf(snapshot);
    const type = typeOf(event);
    this.#noteKind(type);
    const changes = readsContext ? this.#values.changes(snapshot) : undefined;
    const payload = this.#payload(event);
    const error = this.#error();
    const value = this.#machine && snapshot.value;
    this.#steps.note({
      type,
      at,
      order,
      from,
      omitted,
      payload,
      microsteps,
      actions,
      value,
      status,
      changes,
      error,
    });
    if (status === "active" && this.gate?.asksForStates) this.gate.isIn(this.#names());
  }

  report(worker: WorkerInfo): RunReport {
    const { system, parent } = this.#place;
    const info = this.#info();
    const { startedAt = this.#startedAt, updatedAt = startedAt } = this.history;
    const error = this.#error();
    const isRoot = this.#machine && !parent;
    const name = info.systemId ?? (isRoot ? this.#chart.chart.id.slice(0, MAX_NAME) : nameOf(info));
    const many =
      this.history.leavesOutStates &&
      "Later configurations are shown without their inner states: there are too many.";
    const notice = [this.#place.leftOut(), this.#ending, many, this.gate?.notice].filter(Boolean).join(" ");
    const row: RunRow = {
      runId: this.runId,
      agent: name,
      actor: { ...info, system },
      chart: this.#chart.hash,
      source: "live",
      ...(info.status === "active" && { worker }),
      phase: info.status === "active" ? "running" : "stopped",
      waitsFor: [],
      ...(error && { error: { code: error.name, message: error.message } }),
      title: info.src !== undefined && info.src !== name ? `${info.kind} ${info.src}` : info.kind,
      state: "",
      startedAt,
      updatedAt: Math.max(startedAt, updatedAt),
      steps: this.history.last,
      usage: {},
      pending: 0,
      ...(parent !== undefined && { parent: { runId: parent, callId: info.id } }),
      can:
        this.gate?.canHold && info.status === "active"
          ? [this.gate.isHeld ? "resume" : "shutdown", "breakAt"]
          : [],
      ...(notice !== "" && { notice }),
    };
    return { row, pending: [] };
  }

  write(): void {
    this.#steps.write();
  }

  drain(): { readonly items: readonly never[]; readonly dropped: number } {
    return { items: NOTHING, dropped: 0 };
  }

  #info(): Omit<ActorInfo, "system"> {
    const { id, sessionId, src, systemId } = this.#actor as {
      readonly id: unknown;
      readonly sessionId: unknown;
      readonly src?: unknown;
      readonly systemId?: unknown;
    };
    return {
      kind: this.#kind,
      status: statusOf(this.#snapshot),
      id: String(id).slice(0, MAX_NAME),
      sessionId: String(sessionId).slice(0, MAX_NAME),
      ...(typeof src === "string" && { src: src.slice(0, MAX_NAME) }),
      ...(typeof systemId === "string" && { systemId: systemId.slice(0, MAX_NAME) }),
      ...(this.gate && this.gate.breaks.length > 0 && { breaks: this.gate.breaks }),
    };
  }

  /** Only a machine, and an actor whose logic was recognised, say at once what they are. */
  #noteKind(event: string): void {
    if (this.#kind !== "actor") return;
    const kind = kindByEvent(event);
    if (kind) this.#kind = kind;
  }

  #payload(event: object): Json | undefined {
    try {
      if (Object.keys(event).length < 2) return undefined; // the type alone
    } catch {
      return undefined; // a proxy whose traps throw
    }
    const json = this.#redacted(foreignJson(event, PAYLOAD_LIMITS));
    if (!isObject(json)) return json;
    const { type: _, ...rest } = json;
    return rest;
  }

  /** The error with which it failed. A redaction may return anything; an error has a name and a message. */
  #error(): ReturnType<typeof errorOf> | undefined {
    if (statusOf(this.#snapshot) !== "error") return undefined;
    const shown = this.#redacted(errorOf(this.#snapshot.error));
    const { name, message } = isObject(shown) ? shown : {};
    return {
      name: typeof name === "string" ? name : "error",
      message: typeof message === "string" ? message.slice(0, MAX_MESSAGE) : REDACTED,
    };
  }

  #redacted(value: Json): Json {
    const { redact } = this.#place;
    if (!redact) return value;
    const shown: unknown = guarded(() => redact(value));
    return shown === undefined ? REDACTED : foreignJson(shown, REDACTED_LIMITS); // it may return anything
  }
}

/** The type of an event; a program may send anything. */
function typeOf(event: object): string {
  const { type } = event as { readonly type?: unknown };
  return (typeof type === "string" ? type : `[${typeof type}]`).slice(0, MAX_NAME);
}

/** The name of an actor: its id, or what it runs if XState has made the id of a state. */
function nameOf({ id, src }: Pick<ActorInfo, "id" | "src">): string {
  return /^\d+\./.test(id) && src !== undefined ? src : id;
}

function errorOf(error: unknown): { readonly name: string; readonly message: string } {
  const json = foreignJson(error, PAYLOAD_LIMITS);
  if (isObject(json)) {
    const { $class, message } = json;
    if (typeof message === "string")
      return { name: String($class ?? "error").slice(0, MAX_NAME), message: message.slice(0, MAX_MESSAGE) };
  }
  const text = typeof json === "string" ? json : JSON.stringify(json);
  return { name: "error", message: text.slice(0, MAX_MESSAGE) };
}
