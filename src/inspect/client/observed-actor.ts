import type { Json, JsonObject } from "../../core/base/json.ts";
import { REDACTED } from "../../core/base/secrets.ts";
import type { ActorInfo, ActorKind, ActorStep } from "../protocol/actor-info.ts";
import { stateName, type ActorBreak } from "../protocol/actor-break.ts";
import type { EncodeLimits } from "../protocol/encode.ts";
import type { RunRow } from "../protocol/protocol.ts";
import { machineChart, statusChart, statusOf, type ActorChart, type ActorSnapshot } from "./actor-chart.ts";
import { kindByEvent, kindOf, machineOf, type ReadActor } from "./actor-kind.ts";
import { mayBePreempted, preemptedOf } from "./preempted.ts";
import { foreignJson, PAYLOAD_LIMITS } from "./foreign-value.ts";
import { ActorGate } from "./actor-gate.ts";
import { History, type HistoryLimits } from "./history.ts";
import { ShownValues } from "./shown-values.ts";
import type { ReportedRun, RunReport, WorkerInfo } from "./reported-run.ts";
import { guarded } from "../../core/base/guarded.ts";

/** An event that an actor has processed. */
export type Processed = {
  readonly event: { readonly type: string };
  readonly snapshot: ActorSnapshot;
  /** Epoch ms. */
  readonly at: number;
  /** The place among the events of the system, and the run of the sender. */
  readonly order: number;
  readonly from: string | undefined;
  /** The actor's events before it that were not recorded. */
  readonly omitted: number;
  /** False if there is no time to read the context. */
  readonly readsContext: boolean;
};

/** The relations of an actor to its system. */
export type ActorPlace = {
  readonly runId: string;
  readonly system: string;
  readonly parent: string | undefined;
  readonly keep: HistoryLimits;
  readonly redact: ((value: Json) => Json) | undefined;
  /** Is called when an event waits for the actor, or it goes on by itself; absent if nobody may hold it. */
  readonly held: (() => void) | undefined;
};

const NOTHING: readonly never[] = [];
const MAX_NAME = 200;
/** The limits of what `redact` returns: it may make a value that was cut somewhat longer. */
const REDACTED_LIMITS: EncodeLimits = { string: 4_000, depth: 20, nodes: 4_000, characters: 120_000 };
const MAX_MESSAGE = 500;

/** An actor of a system that is not ours, and what was recorded of it. The text of each step is made at once: contexts may be mutated. */
export class ObservedActor implements ReportedRun {
  readonly runId: string;
  readonly history: History;
  /** The place that says something of the whole system: `notice` of its row. */
  notice = "";
  /** Holds the actor between two events; absent if nobody may ask for it. */
  readonly gate: ActorGate | undefined;
  readonly #actor: ReadActor;
  readonly #place: ActorPlace;
  #kind: ActorKind;
  #chart: ActorChart;
  readonly #startedAt = Date.now();
  #snapshot: ActorSnapshot = {};
  readonly #values: ShownValues;
  #edges: string[] = [];
  /** The edges of the step that were selected and not taken, each with its place among the others. */
  #preempted: (readonly [at: number, edge: string])[] = [];
  /** True if nobody tells which of the transitions were preempted. */
  #mayBePreempted = false;
  /** The snapshot after the newest microstep of the step. */
  #within: ActorSnapshot | undefined;
  /** True if all transitions of the step are told, be they none; undefined before the first microstep. */
  #isTold: boolean | undefined;
  /** The states after the newest step; undefined after one that is not recorded. */
  #states: readonly string[] | undefined = NOTHING;
  #actions: string[] = [];

  constructor(actor: ReadActor, place: ActorPlace) {
    this.#actor = actor;
    this.#place = place;
    this.runId = place.runId;
    this.history = new History(place.keep);
    this.#values = new ShownValues((value) => this.#redacted(value));
    this.#kind = guarded(() => kindOf(actor)) ?? "actor";
    const machine = machineOf(actor);
    if ((machine || this.#kind === "transition") && place.held) this.gate = new ActorGate(actor, place.held);
    this.#chart = (machine && guarded(() => machineChart(machine))) ?? statusChart(this.#kind);
  }

  /** The kind of the actor. */
  get kind(): ActorKind {
    return this.#kind;
  }

  /** The chart of the actor and its hash. */
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

  /** Notes the transitions of a microstep; with the snapshot `after` it, those that were preempted are not among those that were taken. */
  took(transitions: readonly object[], after?: ActorSnapshot): void {
    const machine = machineOf(this.#actor);
    const before = this.#within ?? this.#snapshot;
    const lost =
      after && machine && transitions.filter(hasTarget).length > 1
        ? guarded(() => preemptedOf(machine, transitions, before))
        : undefined;
    this.#within = after;
    this.#isTold ??= true;
    for (const transition of transitions) {
      const id = this.#chart.edgeOf(transition);
      if (id === undefined) this.#isTold = false;
      else if (lost?.has(transition)) this.#preempted.push([this.#edges.length, id]);
      else this.#edges.push(id);
    }
  }

  /** Notes the transitions of all microsteps of a step, as XState 6 tells them. */
  tookAll(transitions: readonly object[]): void {
    this.#mayBePreempted = transitions.length > 1 && guarded(() => mayBePreempted(transitions)) !== false;
    this.took(transitions);
  }

  /** Notes an action that runs. */
  ran(action: string): void {
    this.#actions.push(action.slice(0, MAX_NAME));
  }

  /** Forgets what was noted of a step that is not recorded. */
  skip(snapshot: ActorSnapshot): void {
    this.#snapshot = snapshot;
    this.#states = undefined;
    this.#forget();
    if (this.gate?.asksForStates) this.gate.isIn(this.#names(this.#statesOf(snapshot)));
  }

  /** Replaces the conditions at which the actor is paused. */
  breakAt(breaks: readonly ActorBreak[]): void {
    this.gate?.breakAt(breaks, this.#names(this.#statesOf(this.#snapshot)));
  }

  #statesOf(snapshot: ActorSnapshot): readonly string[] {
    return guarded(() => this.#chart.statesOf(snapshot)) ?? NOTHING;
  }

  #names(states: readonly string[]): readonly string[] {
    return states.slice(1).map((id) => stateName(id, states[0]!));
  }

  #forget(): void {
    this.#edges = [];
    this.#preempted = [];
    this.#mayBePreempted = false;
    this.#within = undefined;
    this.#actions = [];
    this.#isTold = undefined;
  }

  /** Shows the actor as stopped, although nobody stopped it. */
  end(reason: string): void {
    this.#snapshot = { ...this.#snapshot, status: "stopped" };
    this.notice = [this.notice, reason].filter(Boolean).join(" ");
  }

  /** Records a step. */
  record({ event, snapshot, at, order, from, omitted, readsContext }: Processed): void {
    const before = statusOf(this.#snapshot);
    const isFirst = this.history.last === 0;
    this.#snapshot = snapshot;
    this.#noteKind(typeOf(event));
    const status = statusOf(snapshot);
    const edges = this.#edges;
    const actions = this.#actions;
    const preempted = this.#preempted;
    const isOpen = this.#mayBePreempted;
    const isTold = this.#isTold === true || !machineOf(this.#actor);
    this.#forget();
    if (!machineOf(this.#actor) && !isFirst && status !== before)
      edges.push(`${this.#chart.chart.id}.active|${status}|0`);
    const states = this.#statesOf(snapshot);
    if (status === "active" && this.gate?.asksForStates) this.gate.isIn(this.#names(states));
    if (edges.length === 1 && this.#states) edges[0] = this.#chart.learnt(edges[0]!, this.#states, states);
    this.#states = states;
    const changes = readsContext ? guarded(() => this.#values.changes(snapshot)) : undefined;
    const ops = changes ?? "[]";
    const error = status === "error" ? errorOf(snapshot.error) : undefined;
    const about: ActorStep = {
      n: order,
      ...(from !== undefined && { f: from }),
      ...(omitted > 0 && { o: omitted }),
      ...(changes === undefined && { h: 1 as const }),
      ...(!isTold && { u: 1 as const }),
      ...(preempted.length > 0 && { p: preempted }),
      ...(isOpen && { w: 1 as const }),
      ...(error && { z: this.#redacted(error) as { name: string; message: string } }),
    };
    const payload = guarded(() => this.#payload(event));
    const type = typeOf(event);
    let text = `{"q":${this.history.last + 1},"t":${at},"m":${this.history.elapsedAt(at)},"e":`;
    text += JSON.stringify(type);
    text += `,"x":${JSON.stringify(edges)},"s":${this.history.stateOf(states)},"a":${JSON.stringify(about)}`;
    if (actions.length > 0) text += `,"k":${JSON.stringify(actions)}`;
    if (payload !== undefined) text += `,"v":${JSON.stringify(payload)}`;
    if (ops !== "[]") text += `,"p":${ops}`;
    this.history.push(`${text}}`);
  }

  /** Reports the row of the actor. */
  report(worker: WorkerInfo): RunReport {
    const { system, parent } = this.#place;
    const info = this.#info();
    const { startedAt = this.#startedAt, updatedAt = startedAt } = this.history;
    const error = info.status === "error" ? errorOf(this.#snapshot.error) : undefined;
    const isRoot = machineOf(this.#actor) && !parent;
    const name = info.systemId ?? (isRoot ? this.#chart.chart.id.slice(0, MAX_NAME) : nameOf(info));
    const many =
      this.history.leavesOutStates &&
      "Later configurations are shown without their inner states: there are too many.";
    const notice = [this.notice, many, this.gate?.notice].filter(Boolean).join(" ");
    const row: RunRow = {
      runId: this.runId,
      agent: name,
      actor: { ...info, system },
      chart: this.#chart.hash,
      source: "live",
      ...(info.status === "active" && { worker }),
      phase: info.status === "active" ? "running" : "stopped",
      waitsFor: [],
      ...(error && { error: { code: error.name, message: String(this.#redacted(error.message)) } }),
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

  write(): void {}

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
    if (Object.keys(event).length < 2) return undefined; // the type alone
    const json = this.#redacted(foreignJson(event, PAYLOAD_LIMITS));
    if (typeof json !== "object" || json === null || Array.isArray(json)) return json;
    const { type: _, ...rest } = json as JsonObject;
    return rest;
  }

  #redacted(value: Json): Json {
    const { redact } = this.#place;
    if (!redact) return value;
    const shown: unknown = guarded(() => redact(value));
    return shown === undefined ? REDACTED : foreignJson(shown, REDACTED_LIMITS); // it may return anything
  }
}

/** True for a transition that may leave states. */
const hasTarget = (transition: object): boolean =>
  (transition as { readonly target?: unknown }).target !== undefined;

/** The type of an event; a program may send anything. */
function typeOf({ type }: { readonly type: unknown }): string {
  return (typeof type === "string" ? type : `[${typeof type}]`).slice(0, MAX_NAME);
}

/** The name of an actor: its id, or what it runs if XState has made the id of a state. */
function nameOf({ id, src }: Pick<ActorInfo, "id" | "src">): string {
  return /^\d+\./.test(id) && src !== undefined ? src : id;
}

function errorOf(error: unknown): { readonly name: string; readonly message: string } {
  const json = foreignJson(error, PAYLOAD_LIMITS);
  if (typeof json === "object" && json !== null && !Array.isArray(json)) {
    const { $class, message } = json as JsonObject;
    if (typeof message === "string")
      return { name: String($class ?? "error").slice(0, MAX_NAME), message: message.slice(0, MAX_MESSAGE) };
  }
  const text = typeof json === "string" ? json : JSON.stringify(json);
  return { name: "error", message: text.slice(0, MAX_MESSAGE) };
}
