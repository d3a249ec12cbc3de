import { applyPatch } from "../../../src/inspect/protocol/patch.ts";
import { isRest, type ChartIndex } from "../logic/chart-index.ts";
import { isObject } from "../../../src/core/base/json.ts";
import { outcomeOfService } from "../logic/service-outcomes.ts";
import { messagesOf } from "../logic/step-notes.ts";
import {
  callsOf,
  detailOf,
  inputOf,
  kindOfService,
  outcomeOfAttempt,
  outcomeOfModel,
  outcomeOfResult,
  SUMMARY,
  toolOf,
  type Work,
} from "../logic/work.ts";
import type { Step } from "../wire/step.ts";
import type { CallRecord, Json, JsonObject, Msg } from "../wire/types.ts";
import { t } from "../words/t.ts";
import type { RunData } from "./run-data.ts";

type Begun = Pick<Work, "kind" | "name"> & Partial<Pick<Work, "callId" | "input" | "attempt">>;
const NOTHING: readonly Work[] = [];

/**
 * The work that took time in a run. It reads each step once, in order, so that a run that grows costs as much as its new steps. Steps
 * before the first one that is loaded without a gap are unknown.
 */
export class WorkLog {
  readonly #run: RunData;
  readonly #index: ChartIndex | undefined;
  readonly #works: Work[] = [];
  readonly #open = new Map<string, Work>();
  readonly #endedAt = new Map<number, Work[]>();
  readonly #begunAt = new Map<number, Work[]>();
  readonly #ofCall = new Map<string, Work[]>();
  readonly #services = new Map<number, ReadonlySet<string>>();
  /** The first step that was read, and the next one to read. */
  readonly from: number;
  #next: number;
  #context: JsonObject;
  /** The newest request to a model before the step that is read. */
  #asked: Json | undefined;
  #calls: readonly CallRecord[] = [];

  constructor(run: RunData, index: ChartIndex | undefined) {
    this.#run = run;
    this.#index = index;
    this.from = Math.max(run.wholeFrom, run.first);
    this.#next = this.from;
    this.#context = run.contextAt(this.from - 1) ?? {};
  }

  /** Everything that took time, in the order in which it began. */
  get works(): readonly Work[] {
    return this.#works;
  }

  /** Returns the work that a step ended. */
  endedAt(stepNumber: number): readonly Work[] {
    return this.#endedAt.get(stepNumber) ?? NOTHING;
  }

  /** Returns the work that a step began. */
  begunAt(stepNumber: number): readonly Work[] {
    return this.#begunAt.get(stepNumber) ?? NOTHING;
  }

  /** The attempts of a call up to a step, oldest first. */
  attemptsOf(callId: string, stepNumber: number): readonly Work[] {
    const all = this.#ofCall.get(callId) ?? NOTHING;
    return all.every(({ from }) => from <= stepNumber) ? all : all.filter(({ from }) => from <= stepNumber);
  }

  /** The request to the model that a step ended, after the attempts that failed before it; empty if it ended none. */
  requestsAt(stepNumber: number): readonly Work[] {
    const last = this.endedAt(stepNumber).findLast(({ kind }) => kind === "model");
    if (!last) return NOTHING;
    let first = last.id;
    while (this.#works[first - 1]?.kind === "model" && this.#works[first - 1]!.state === "failed") first--;
    return this.#works.slice(first, last.id + 1);
  }

  /** True if the step after those that it has read is missing: it was made before the steps came, or there is a gap. */
  get isStuck(): boolean {
    return this.#next <= this.#run.last && !this.#run.at(this.#next);
  }

  /** Reads the steps that it has not read. */
  read(): void {
    for (; this.#next <= this.#run.last; this.#next++) {
      const step = this.#run.at(this.#next);
      if (!step) return;
      this.#readStep(step);
    }
  }

  #readStep(step: Step): void {
    this.#asked = this.#context["modelCall"];
    if (step.patch.length > 0) this.#context = applyPatch(this.#context, step.patch);
    const rests = isRest(this.#index, this.#run.statesAt(step.number));
    if (!rests) this.#readTurn(step);
    this.#readServices(step);
    this.#readCalls(step);
    if (rests) this.#readRest(step);
  }

  /** A service runs as long as a state that invokes it is active, or until it answers. */
  #readServices(step: Step): void {
    const wanted = this.#servicesIn(step);
    for (const [key, work] of this.#open) {
      const name = key.slice(key.indexOf(" ") + 1);
      if (kindOfService(name) !== work.kind || key.startsWith("call:")) continue;
      if (wanted.has(key) && !answers(step.event, name)) continue;
      if (work.kind === "model") this.#nameRequest(key, this.#asked);
      this.#end(
        key,
        step,
        work.kind === "model" ? outcomeOfModel(step) : outcomeOfService(step, work.kind, this.#calls),
      );
    }
    for (const key of wanted) {
      if (this.#open.has(key)) continue;
      const name = key.slice(key.indexOf(" ") + 1);
      this.#begin(key, step, { kind: kindOfService(name)!, name: nameOfService(name, key) });
      if (name === "callModel") this.#nameRequest(key, this.#context["modelCall"]);
    }
  }

  /** The model that is asked is known once the request is made. */
  #nameRequest(key: string, call: Json | undefined): void {
    const work = this.#open.get(key)!;
    const isFallback = isObject(call) && call["isFallback"] === true && Number(call["step"]) >= work.from;
    if (work.name !== SUMMARY && isFallback) work.name = t("fallback model");
  }

  /** The services of the states after a step, each with its state. */
  #servicesIn(step: Step): ReadonlySet<string> {
    let services = this.#services.get(step.state);
    if (!services) {
      const invoked = (id: string): readonly string[] => this.#index?.nodes.get(id)?.invoke ?? [];
      services = new Set(
        this.#run
          .statesAt(step.number)
          .flatMap((id) => invoked(id).map((name) => [id, name] as const))
          .flatMap(([id, name]) => (kindOfService(name) === undefined ? [] : [`${id} ${name}`])),
      );
      this.#services.set(step.state, services);
    }
    return services;
  }

  /** An attempt of a call lasts as long as its record is running. */
  #readCalls(step: Step): void {
    const before = this.#calls;
    if (this.#context["calls"] !== undefined || before.length > 0) this.#calls = callsOf(this.#context);
    const now = this.#calls;
    if (now === before) return;
    const known = new Set(before);
    const ids = new Set(now.map(({ call }) => call.id));
    for (const record of now) if (!known.has(record)) this.#readCall(step, record);
    for (const { call } of before) {
      if (ids.has(call.id) || !this.#open.has(`call:${call.id}`)) continue;
      this.#end(`call:${call.id}`, step, outcomeOfResult(resultIn(messagesOf(step), call.id)));
    }
  }

  #readCall(step: Step, record: CallRecord): void {
    const key = `call:${record.call.id}`;
    const open = this.#open.get(key);
    const isRunning = record.status === "running";
    if (open && (!isRunning || open.attempt !== record.attempt))
      this.#end(key, step, {
        ...outcomeOfAttempt(step, record, open.attempt),
        asks: record.status === "suspended",
      });
    if (isRunning && !this.#open.has(key))
      this.#begin(key, step, {
        kind: "tool",
        name: toolOf(record),
        callId: record.call.id,
        input: inputOf(record),
        attempt: record.attempt,
      });
  }

  /** A turn lasts from its call until the run rests. */
  #readTurn(step: Step): void {
    for (const key of ["wait", "rest"])
      if (this.#open.has(key)) this.#end(key, step, { state: "done", detail: "" });
    if (this.#open.has("turn") || this.#run.statesAt(step.number).length === 0) return;
    const input = firstText(messagesOf(step).find(({ role }) => role === "user"));
    this.#begin("turn", step, { kind: "turn", name: turnName(this.#context), input });
  }

  /** A run that is suspended waits for somebody. */
  #readRest(step: Step): void {
    const isWaiting = this.#run.statesAt(step.number).some((id) => id.endsWith(".waiting"));
    const turn = this.#open.get("turn");
    if (turn) turn.name = turnName(this.#context, step.account?.end?.turn);
    for (const [key, work] of this.#open)
      if (work.kind === "turn" || (work.kind === "wait" && !isWaiting))
        this.#end(key, step, turnOutcome(this.#context));
    const key = isWaiting ? "wait" : "rest";
    if (!this.#open.has(key))
      this.#begin(key, step, { kind: key, name: isWaiting ? waitsFor(this.#calls) : "rest" });
  }

  #begin(key: string, step: Step, begun: Begun): void {
    const work: Work = {
      id: this.#works.length,
      attempt: 1,
      ...begun,
      from: step.number,
      begin: step.elapsed,
      state: "running",
      detail: "",
    };
    this.#works.push(work);
    this.#open.set(key, work);
    add(this.#begunAt, step.number, work);
    if (work.callId !== undefined) add(this.#ofCall, work.callId, work);
  }

  #end(key: string, step: Step, outcome: Pick<Work, "state" | "detail" | "asks">): void {
    const work = this.#open.get(key)!;
    Object.assign(work, { to: step.number, end: Math.max(work.begin, step.elapsed), ...outcome });
    this.#open.delete(key);
    add(this.#endedAt, step.number, work);
  }
}

function add<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const all = map.get(key);
  if (all) all.push(value);
  else map.set(key, [value]);
}

const answers = (event: string, service: string): boolean =>
  event === `xstate.done.actor.${service}` || event === `xstate.error.actor.${service}`;

/** The point of hooks, from the state that runs them: "preHooks" of "reasoning" is before the model. */
function nameOfService(service: string, key: string): string {
  if (service === "callModel") return key.includes(".compacting.") ? SUMMARY : t("model");
  if (service !== "runHooks") return service === "reviewCalls" ? t("permissions") : t("store");
  const path = key.slice(0, key.indexOf(" ")).split(".").slice(1);
  const HOOKS: { readonly [state: string]: string } = {
    "doCall.preCall": "preCall",
    "reasoning.preHooks": "preReasoning",
    "reasoning.postHooks": "postReasoning",
    "acting.preHooks": "preActing",
    "acting.postHooks": "postActing",
    "summarizing.preHooks": "preSummary",
    "summarizing.postHooks": "postSummary",
  };
  const found = Object.keys(HOOKS).find((state) => path.join(".").startsWith(state));
  if (found !== undefined) return HOOKS[found]!;
  const last = path.findLast((part) => part !== "running" && part !== "aborting")!;
  return path.includes("compacting") ? last.replace("Hooks", "Compact") : last;
}

const resultIn = (messages: readonly Msg[], callId: string): Json | undefined =>
  messages
    .flatMap(({ content }) => content)
    .find((block) => block.type === "tool_result" && block.id === callId) as Json | undefined;

function turnOutcome(context: JsonObject): Pick<Work, "state" | "detail"> {
  const outcome = context["outcome"] as JsonObject | null | undefined;
  return { state: outcome?.["reason"] === "ERROR" ? "failed" : "done", detail: "" };
}

const firstText = (message: Msg | undefined): string => {
  const text = message?.content.find((block) => block.type === "text");
  return text?.type === "text" ? detailOf(text.text) : "";
};

const turnName = (context: JsonObject, ended?: number): string => {
  const progress = context["progress"] as JsonObject | undefined;
  const turn = ended ?? progress?.["turn"];
  return typeof turn === "number" ? t`turn ${Math.max(1, turn)}` : t("turn");
};

function waitsFor(calls: readonly CallRecord[]): string {
  const names = calls.filter(({ status, asks }) => asks !== undefined || status === "suspended").map(toolOf);
  return names.length === 0 ? t("a decision") : [...new Set(names)].join(", ");
}

const logs = new WeakMap<RunData, { readonly index: ChartIndex | undefined; readonly log: WorkLog }>();

/** Returns the work that took time in a run, up to its newest step. */
export function workLog(run: RunData, index: ChartIndex | undefined): WorkLog {
  const known = logs.get(run);
  const isWhole = known && (run.isFilling || Math.max(run.wholeFrom, run.first) >= known.log.from);
  const isCurrent = isWhole && known.index === index && !known.log.isStuck;
  const log = isCurrent ? known.log : new WorkLog(run, index);
  if (!isCurrent) logs.set(run, { index, log });
  log.read();
  return log;
}
