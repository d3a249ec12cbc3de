import type { TurnEnd } from "../../../machines/agent/context.ts";
import { chartHash } from "../../core/diagram/chart-hash.ts";
import type { Chart } from "../../core/diagram/chart-json.ts";
import { patchBetween } from "../protocol/diff.ts";
import { encode, encodeToString, PREVIEW } from "../protocol/encode.ts";
import { innermost } from "../protocol/chart-version.ts";
import { Transcript } from "../../core/message/transcript.ts";
import type { Msg, Usage } from "../../core/message/types.ts";
import { contextOf, JournalFold } from "../../session/fold.ts";
import type { SessionEntry, StoredStep } from "../../session/entry.ts";
import { partsOfSteps, type TimedStep } from "../../session/step-parts.ts";
import { readEntry } from "../../session/read-entry.ts";
import { READER_SETTINGS } from "../../session/reader-settings.ts";
import { ModelCallReader, type StoredModelCall } from "../../session/model-calls.ts";
import type { RecordedCall } from "../protocol/recorded-call.ts";
import type { JournalEntry } from "../../store/port.ts";
import { restingPhaseOf, pendingCalls } from "../../../machines/agent/updates/calls.ts";
import { addUsage } from "../../core/message/msg.ts";
import type { PendingItem } from "../protocol/commands.ts";
import type { RunRow, Step } from "../protocol/protocol.ts";
import { aboutTurns } from "../../session/format.ts";
import { perObject, type JsonObject } from "../../core/base/json.ts";
import type { StepAccount } from "../../../machines/agent/step-account.ts";
import { activeStates, statesIn } from "./active-states.ts";
import type { OpenRun } from "./open-run.ts";
import { RunLog } from "./run-log.ts";

/** The event of a row of changes whose steps the journal does not tell apart. It is of an earlier release or another chart, or they were
 *  made while no agent ran. */
const UNKNOWN_STEPS = "journal";

/** The entries that stand alone without a change of the session: where it is, and refused inputs, which are steps of their own. */
const WITHOUT_STEP: ReadonlySet<SessionEntry["type"]> = new Set(["position", "session", "input.refused"]);

/** The actions of the chart with which a turn begins or goes on. */
const GOES_ON: ReadonlySet<string> = new Set([
  "acceptInput",
  "cancelPending",
  "takeResults",
  "rerunSuspended",
]);

/** A step that is known from a journal, before its entries have been applied to the context. */
type Row = Pick<Step, "e" | "t" | "x"> & {
  readonly by?: StoredStep["by"];
  readonly did?: StepAccount | undefined;
  /** Absent until a position says it. */
  readonly active?: readonly string[];
  readonly v?: Step["v"];
  /** The position before the append that has the step. */
  readonly before?: number;
};

type Position = Extract<SessionEntry, { readonly type: "position" }>;

/** The hash of a chart, made once: many runs have the same. */
const hashOf = perObject(chartHash);

/**
 * A stored session as steps: those that a process has seen which watched the session while it ran. An append says which steps it is
 * about, when they were, and which of its entries belong to each. Appends of earlier releases do not: such an append is one step.
 *
 * The newest step is written with the next append, or when there is none: what was recorded before the first step of an append
 *   belongs to the last one of the append before.
 */
export class JournalRun {
  readonly log: RunLog;
  readonly #chart: Chart;
  readonly #hash: string;
  /** The chart of the process that wrote the entries. */
  #writtenWith: string | undefined;
  readonly #fold = new JournalFold(READER_SETTINGS);
  readonly #blobs = new Map<string, string>();
  #transcript = Transcript.of();
  #context: Readonly<Record<string, unknown>> | undefined;
  /** The time at which the session began, and when the first of its steps was. */
  #startedAt: number | undefined;
  #beganAt = 0;
  #outcome: JsonObject | null = null;
  #error: JsonObject | undefined;
  #active: readonly string[] = [];
  /** The newest step, which is not written yet. */
  #held: Row | undefined;
  readonly #calls = new ModelCallReader();
  #modelCall: RecordedCall | undefined;
  /** The entries of an append whose position is still to come, and the position before it. */
  #append: SessionEntry[] = [];
  #before = 0;

  constructor(runId: string, chart: Chart) {
    this.log = new RunLog(runId);
    this.#chart = chart;
    this.#hash = hashOf(chart);
  }

  /** The position in the journal. */
  get seq(): number {
    return this.#append.at(-1)?.seq ?? this.#fold.seq;
  }

  /** Adds an entry. Throws `session/damaged` or `session/version` as the journal's reader does. */
  add(stored: JournalEntry): void {
    let entry: SessionEntry;
    try {
      entry = readEntry(stored);
    } catch (error) {
      this.settle();
      throw error;
    }
    this.push(entry);
  }

  /** Adds an entry that was read before. Throws `session/damaged` as the fold does. */
  push(entry: SessionEntry): void {
    this.#append.push(entry);
    if (entry.type === "position" && entry.data.state !== undefined) this.#addAppend();
  }

  /** Adds the entries of an append that is cut off, and the newest step. Throws as {@link add}. */
  settle(): void {
    this.#addAppend();
    this.#writeHeld();
  }

  #addAppend(): void {
    const entries = this.#append;
    this.#append = [];
    const last = entries.at(-1);
    if (!last) return;
    const position = last.type === "position" && last.data.state !== undefined ? last : undefined;
    if (position?.data.chart !== undefined) this.#writtenWith = position.data.chart;
    const steps = position?.data.steps ?? [];
    const parts = position && this.#isKnown ? partsOfSteps(entries, steps) : undefined;
    if (parts && position) this.#addSteps(parts, steps as readonly TimedStep[], position);
    else this.#addUnknown(entries, steps, position);
    if (position) this.#before = position.seq;
  }

  /** True if the entries were written with the chart of the run. */
  get #isKnown(): boolean {
    return this.#writtenWith === this.#hash;
  }

  #addSteps(
    [before = [], ...parts]: readonly (readonly SessionEntry[])[],
    steps: readonly TimedStep[],
    position: Position,
  ): void {
    this.#noteCalls(position, ({ steps: count = 0 }) => count === 0);
    this.#apply(before);
    if (this.log.last === 0 && !this.#held) this.#hold({ e: "xstate.init", t: position.at, x: [] });
    for (const [index, step] of steps.entries()) {
      const isLast = index === steps.length - 1; // the position says where it led to
      this.#hold({ ...this.#rowOf(step), ...(!isLast && { active: this.#stateAfter(step) }) });
      if (this.#goesOn(step)) this.#outcome = null;
      this.#noteCalls(position, ({ steps: count }) => count === index + 1);
      this.#apply(parts[index]!);
    }
  }

  /** Adds an append that does not say which entries belong to which step. */
  #addUnknown(
    entries: readonly SessionEntry[],
    steps: readonly StoredStep[],
    position: Position | undefined,
  ): void {
    const [step] = steps;
    const { at } = position ?? entries.at(-1)!;
    const by = steps.findLast((each) => each.by)?.by;
    const t = position?.data.at ?? at;
    this.#noteCalls(position, ({ after = 0 }) => after === 0);
    if (this.log.last === 0 && !this.#held) this.#hold({ e: "xstate.init", t: at, x: [] });
    else if (step && this.#isKnown && steps.length === 1) this.#hold(this.#rowOf({ ...step, at: t }));
    else if (entries.some(({ type }) => !WITHOUT_STEP.has(type))) {
      const x = this.#isKnown ? steps.flatMap((each) => this.#edgesOf(each)) : [];
      this.#hold({ e: UNKNOWN_STEPS, t, x, ...(by && { by }) });
    }
    this.#apply(entries);
    this.#noteCalls(position, ({ after = 0 }) => after > 0);
  }

  #edgesOf({ x }: StoredStep): readonly string[] {
    return x.flatMap((number) => this.#chart.edges[number]?.id ?? []);
  }

  #rowOf(step: StoredStep & { readonly at: number }): Row {
    const { x, at, by, did } = step;
    const event = this.#chart.edges[x[0] ?? -1]?.event ?? UNKNOWN_STEPS;
    return { e: event, t: at, x: this.#edgesOf(step), ...(by && { by }), did };
  }

  /** True for a step with which a turn begins or goes on: then it has no outcome. Input that is refused leaves the one it had. */
  #goesOn({ x }: StoredStep): boolean {
    return x.some((number) => {
      const { actions = [], guard } = this.#chart.edges[number] ?? {};
      return actions.some(({ name }) => GOES_ON.has(name)) && guard?.name.includes("hasFailed") !== true;
    });
  }

  /** The states after a step: those that its last edge with a target leads to. */
  #stateAfter({ x }: StoredStep): readonly string[] {
    const target = x
      .map((number) => this.#chart.edges[number]?.targets[0])
      .findLast((id) => id !== undefined);
    if (target !== undefined) this.#active = statesIn(target, this.#chart);
    return this.#active;
  }

  /** Notes model calls of an append as a part of the newest step. */
  #noteCalls(position: Position | undefined, isOfStep: (call: StoredModelCall) => boolean): void {
    for (const call of position?.data.modelCalls ?? []) {
      if (!isOfStep(call)) continue;
      const step = this.log.last + (this.#held ? 1 : 0);
      this.#modelCall = { ...this.#calls.read(call, this.#fold.state().kept.view), step };
    }
  }

  /** Applies entries. A refused input is a step of its own. */
  #apply(entries: readonly SessionEntry[]): void {
    for (const entry of entries) {
      if (entry.type === "input.refused") {
        const { id, error } = entry.data;
        const { code, message } = error;
        const v = encode({ inputId: id, error }, { limits: PREVIEW });
        this.#hold({ e: entry.type, t: entry.at, x: [], did: { refused: { code, message } }, v });
      }
      this.#fold.push(entry);
      if (entry.type === "messages") this.#addMessages(this.#messages(), entry.data.from);
      if (entry.type === "turn.end") this.#endTurn(entry.data);
      if (entry.type === "position" && entry.data.state !== undefined) this.#applyPosition(entry.data.state);
    }
  }

  #endTurn({ turn: _, isRefusal, ...outcome }: TurnEnd): void {
    if (isRefusal) return; // the outcome is that of the turn before
    const cause = this.#held?.did?.end?.cause;
    this.#error = outcome.error as JsonObject | undefined;
    this.#outcome = { ...(outcome as unknown as JsonObject), ...(cause !== undefined && { cause }) };
  }

  #applyPosition(state: string): void {
    const { reason } = this.#fold.state();
    const error = reason === "ERROR" ? this.#error : undefined;
    if (!reason) this.#outcome = null;
    else if (this.#outcome?.["reason"] !== reason) this.#outcome = { reason, ...(error && { error }) };
    const active = activeStates(state, this.#chart);
    this.#active = active;
    if (this.#held) this.#held = { active, ...this.#held };
  }

  /** Writes the newest step, and makes `row` the newest one. */
  #hold(row: Row): void {
    this.#writeHeld();
    this.#held = { before: this.#before, ...row };
  }

  #writeHeld(): void {
    const row = this.#held;
    if (!row) return;
    this.#held = undefined;
    const { e, t, x, by, did, v, before = 0, active = this.#active } = row;
    if (e !== "xstate.init") this.#startedAt ??= t;
    if (this.log.last === 0) this.#beganAt = t;
    const { kept } = this.#fold.state();
    const modelCall = this.#modelCall && { modelCall: this.#modelCall };
    const { ending } = kept.progress;
    const outcome = ending && ending.at !== "doCall.onError" ? ending.outcome : this.#outcome;
    const context = { ...kept, transcript: this.#transcript, at: t, outcome, ...modelCall };
    const keepBlob = (sha: string, text: string): void => void this.#blobs.set(sha, text);
    const serialize = (value: unknown): string => encodeToString(value, { keepBlob });
    const ops = patchBetween(this.#context, context, { serialize });
    this.#context = context;
    this.log.add({
      q: this.log.last + 1,
      t,
      m: Math.max(this.log.newest?.m ?? 0, t - (this.#startedAt ?? t)),
      e,
      ...(v !== undefined && { v }),
      x,
      ...(by && { by }),
      s: this.log.stateOf(active),
      ...(did && { d: did }),
      ...(ops.length > 0 && { p: ops }),
      j: this.#fold.seq,
      b: before,
    });
  }

  /** Returns the run as it is shown; `overrides` are values of its row from the store or the file. */
  opened(overrides: Pick<RunRow, "source"> & Partial<RunRow>): OpenRun {
    const { state, reason, kept } = this.#fold.state();
    const name = this.#messages().findLast(({ role }) => role === "assistant")?.name;
    const phase = overrides.phase ?? restingPhaseOf(state);
    const pending = phase === "suspended" ? this.#pending() : [];
    const row: RunRow = {
      runId: this.log.runId,
      agent: name ?? "",
      chart: "",
      phase,
      waitsFor: [],
      ...(reason && { reason }),
      ...aboutTurns({ reason, error: this.#error, messages: this.#messages() }),
      state: innermost(this.log.active),
      startedAt: this.#startedAt ?? this.#beganAt,
      updatedAt: this.log.newest?.t ?? 0,
      steps: this.log.last,
      seq: this.seq,
      usage: this.#messages().reduce<Usage>((sum, { usage }) => addUsage(sum, usage), {}),
      pending: pending.length,
      can: [],
      ...overrides,
    };
    return {
      row,
      pending,
      ...(kept.progress.exceeded && { exceeded: kept.progress.exceeded }),
      log: this.log,
      blob: (sha) => this.#blobs.get(sha),
      blobs: () => this.#blobs,
    };
  }

  /** The open calls. */
  #pending(): readonly PendingItem[] {
    const calls = pendingCalls(contextOf(this.#fold.state(), READER_SETTINGS));
    return calls.map(({ callId, argsHash, ...call }) => ({
      ...(encode(call, { keepBlob: (sha, text) => void this.#blobs.set(sha, text) }) as object),
      callId,
      argsHash,
    })) as unknown as readonly PendingItem[];
  }

  #messages(): readonly Msg[] {
    return this.#fold.state().messages;
  }

  #addMessages(messages: readonly Msg[], from: number): void {
    const added = messages.slice(from);
    this.#transcript =
      from === this.#transcript.length
        ? this.#transcript.append(added)
        : this.#transcript.replaceFrom(from, added);
  }
}
