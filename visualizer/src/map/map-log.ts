import { callIn } from "../../../src/inspect/protocol/prompt-lens.ts";
import { applyPatch } from "../../../src/inspect/protocol/patch.ts";
import { isObject } from "../../../src/core/base/json.ts";
import type { ChartIndex } from "../logic/chart-index.ts";
import { callRecords } from "../logic/message-shape.ts";
import { messagesOf } from "../logic/step-notes.ts";
import { toolOf } from "../logic/work.ts";
import type { RunData } from "../store/run-data.ts";
import { workLog, type WorkLog } from "../store/work-log.ts";
import type { Step } from "../wire/step.ts";
import type { CallRecord, Json, JsonObject, Msg, RecordedCall, ToolResultBlock } from "../wire/types.ts";
import { t } from "../words/t.ts";

/** Something that happened in a step. */
type At = { readonly step: number };
/** A hook changed or denied something. */
export type Deed = At & { readonly point: string; readonly hook: string };
/** A person was asked about a call, or decided on it. */
export type Asked = At & { readonly callId: string; readonly tool: string };
/** `by`: who decided, if that is known. */
export type Decided = Asked & { readonly kind: string; readonly by?: string };
/** A request to a model, and the persona that it was made for; null: the agent itself. */
export type Request = At & { readonly call: RecordedCall; readonly persona: string | null };

/**
 * Counts what no list of works has: inputs, answers, requests, deeds of hooks, questions to people and their decisions. It
 * reads each step once, in order, so that a run that grows costs as much as its new steps.
 */
export class MapLog {
  readonly inputs: At[] = [];
  readonly ends: (At & { readonly reason: string })[] = [];
  readonly requests: Request[] = [];
  readonly deeds: Deed[] = [];
  readonly asks: Asked[] = [];
  readonly decisions: Decided[] = [];
  readonly plans: At[] = [];
  /** The persona that has the session from a step on. */
  readonly personas: (At & { readonly name: string | null })[] = [];
  /** The first step that was read. */
  readonly from: number;
  readonly #run: RunData;
  readonly #works: WorkLog;
  #next: number;
  #context: JsonObject;
  #requestId: string | undefined;
  #calls: Json | undefined;
  readonly #asked = new Set<string>();
  readonly #tools = new Map<string, string>();

  constructor(run: RunData, works: WorkLog) {
    this.#run = run;
    this.#works = works;
    this.from = works.from;
    this.#next = this.from;
    this.#context = run.contextAt(this.from - 1) ?? {};
  }

  /** Everything that took time in the run. */
  get works(): WorkLog["works"] {
    return this.#works.works;
  }

  /** The persona that had the session after a step. */
  personaAt(stepNumber: number): string | null {
    return this.personas.findLast(({ step }) => step <= stepNumber)?.name ?? null;
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
    if (step.patch.length > 0) this.#context = applyPatch(this.#context, step.patch);
    const messages = messagesOf(step);
    for (const message of messages) this.#readMessage(step, message);
    this.#readPersona(step);
    this.#readRequest(step);
    this.#readCalls(step);
    this.#readAccount(step);
    if (step.patch.some(([, path]) => path[0] === "slots" && isPlanSlot(path[1])))
      this.plans.push({ step: step.number });
  }

  #readMessage({ number }: Step, message: Msg): void {
    if (message.role === "user" && message.content.some(({ type }) => type !== "tool_result"))
      this.inputs.push({ step: number });
    for (const hook of namesIn(message.changedBy))
      this.deeds.push({ step: number, point: "postReasoning", hook });
    for (const block of message.content) {
      if (block.type === "tool_use") this.#tools.set(block.id, block.name);
      if (block.type === "tool_result") this.#readResult(number, block);
    }
  }

  #readResult(step: number, { id, name, account }: ToolResultBlock): void {
    for (const { by } of listIn(account?.results)) {
      if (isObject(by) && "hook" in by) this.deeds.push({ step, point: "postActing", hook: by.hook });
    }
    if (listIn(account?.asked).length > 0) this.#ask(step, id, name);
  }

  #readPersona({ number }: Step): void {
    const progress = this.#context["progress"];
    const now = isObject(progress) ? progress["persona"] : undefined;
    const name = typeof now === "string" ? now : null;
    if ((this.personas.at(-1)?.name ?? null) !== name) this.personas.push({ step: number, name });
  }

  #readRequest({ number }: Step): void {
    const recorded = this.#context["modelCall"];
    if (!isObject(recorded) || recorded["id"] === this.#requestId) return;
    const call = callIn(this.#context);
    this.#requestId = String(recorded["id"]);
    if (!call) return;
    const isFirst = this.requests.at(-1)?.call.turn !== call.turn;
    this.requests.push({ step: number, call, persona: this.personas.at(-1)?.name ?? null });
    for (const { hook, ...parts } of call.edits)
      if (Object.keys(parts).length > 0) this.deeds.push({ step: number, point: "preReasoning", hook });
    for (const { hook } of isFirst ? call.entered : [])
      this.deeds.push({ step: number, point: "preCall", hook });
  }

  #readCalls({ number }: Step): void {
    const calls = this.#context["calls"];
    if (calls === this.#calls) return;
    this.#calls = calls;
    for (const record of callRecords(calls)) {
      this.#tools.set(record.call.id, toolOf(record));
      if (isAsked(record)) this.#ask(number, record.call.id, toolOf(record));
    }
  }

  #ask(step: number, callId: string, tool: string): void {
    if (this.#asked.has(callId)) return;
    this.#asked.add(callId);
    this.asks.push({ step, callId, tool });
  }

  #readAccount({ number, account }: Step): void {
    if (!account) return;
    const { hooks = [], decision, end, stop, goto } = account;
    const ran = this.#works.endedAt(number).find(({ kind }) => kind === "hooks")?.name;
    for (const { hook, callId, parts = [] } of hooks) {
      const isOfPrompt = callId === undefined && parts.length > 0;
      // what hooks changed of a prompt is in its request
      if (hook !== undefined && !isOfPrompt) this.deeds.push({ step: number, point: "preActing", hook });
    }
    if ((stop || goto) && ran !== undefined)
      this.deeds.push({ step: number, point: ran, hook: stop ? t("stops the turn") : t("asks again") });
    if (decision) {
      const { callId, kind, by } = decision;
      const tool = this.#tools.get(callId) ?? "";
      this.decisions.push({ step: number, callId, tool, kind, ...(by !== undefined && { by }) });
    }
    if (end) {
      this.ends.push({ step: number, reason: end.reason });
      const outcome = this.#context["outcome"];
      const reply = isObject(outcome) ? outcome["reply"] : undefined;
      const answered = messagesOfContext(this.#context).at(-1);
      const hooksOfReply = isObject(reply) ? namesIn(reply["changedBy"]) : [];
      const before = new Set(isObject(answered) ? namesIn(answered["changedBy"]) : []);
      for (const hook of hooksOfReply)
        if (!before.has(hook)) this.deeds.push({ step: number, point: "postCall", hook });
    }
  }
}

const isAsked = ({ asks, status }: CallRecord): boolean => asks !== undefined || status === "suspended";
const isPlanSlot = (name: Json | undefined): boolean => name === "plan" || name === "todos";
const listIn = <T>(value: readonly T[] | undefined): readonly T[] => (Array.isArray(value) ? value : []);
const namesIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
const messagesOfContext = ({ messages }: JsonObject): readonly Json[] =>
  Array.isArray(messages) ? messages : [];

const logs = new WeakMap<WorkLog, MapLog>();

/** Returns what a run has for its map, up to its newest step. */
export function mapLog(run: RunData, index: ChartIndex | undefined): MapLog {
  const works = workLog(run, index);
  const log = logs.get(works) ?? new MapLog(run, works);
  logs.set(works, log);
  log.read();
  return log;
}
