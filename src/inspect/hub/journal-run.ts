import { chartHash } from "../../diagram/chart-hash.ts";
import type { Chart } from "../../diagram/chart-json.ts";
import { patchBetween } from "../protocol/diff.ts";
import { encode, encodeToString, PREVIEW } from "../protocol/encode.ts";
import { innermost } from "../client/watched-run.ts";
import { Transcript } from "../../message/transcript.ts";
import type { Msg, Usage } from "../../message/types.ts";
import { contextOf, JournalFold } from "../../session/fold.ts";
import type { SessionEntry, StoredStep } from "../../session/entry.ts";
import { readEntry } from "../../session/read-entry.ts";
import { READER_SETTINGS } from "../../session/reader-settings.ts";
import { ModelCallReader } from "../../session/model-calls.ts";
import type { RecordedCall } from "../protocol/recorded-call.ts";
import type { JournalEntry, SessionPhase } from "../../store/port.ts";
import { restingPhaseOf } from "../../../machines/agent/phase.ts";
import { pendingCalls } from "../../../machines/agent/updates/calls.ts";
import { addUsage } from "../../message/usage.ts";
import type { PendingItem } from "../protocol/commands.ts";
import type { RunRow } from "../protocol/protocol.ts";
import { aboutTurns } from "../../message/about-turns.ts";
import type { JsonObject } from "../../base/json.ts";
import { activeStates } from "./active-states.ts";
import { RunLog } from "./run-log.ts";

type CallWithoutEntry = {
  readonly seq: number;
  readonly at: number;
  readonly type: "model.call";
  readonly data: JsonObject;
};

/**
 * A stored session as steps: one for each entry of its journal, named by the type of the entry. The position at the end of an append says
 * after which of its entries the model was asked, so that the entries of an append become steps together.
 */
export class JournalRun {
  /** The steps of the run. */
  readonly log: RunLog;
  readonly #chart: Chart;
  readonly #hash: string;
  /** The chart of the process that wrote the entries. */
  #writtenWith: string | undefined;
  readonly #fold = new JournalFold(READER_SETTINGS);
  readonly #blobs = new Map<string, string>();
  #transcript = Transcript.of();
  #context: Readonly<Record<string, unknown>> | undefined;
  #startedAt = 0;
  #error: JsonObject | undefined;
  #state = "stopped.idle";
  readonly #calls = new ModelCallReader();
  #modelCall: RecordedCall | undefined;
  /** The entries of an append whose position is still to come. */
  #append: SessionEntry[] = [];

  constructor(runId: string, chart: Chart) {
    this.log = new RunLog(runId);
    this.#chart = chart;
    this.#hash = chartHash(chart);
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
    this.#append.push(entry);
    if (entry.type === "position" && entry.data.state !== undefined) this.settle();
  }

  /** Adds the entries of an append that is cut off. Throws as {@link add}. */
  settle(): void {
    const entries = this.#append;
    this.#append = [];
    const last = entries.at(-1);
    const calls = (last?.type === "position" && last.data.modelCalls) || [];
    const noteCalls = (after: number, step: number): void => {
      const made = calls.filter((each) => (each.after ?? 0) === after);
      for (const [index, call] of made.entries()) {
        if (index > 0) this.#addCall(); // only the newest is a part of the next step
        this.#modelCall = { ...this.#calls.read(call, this.#fold.state().kept.view), step };
      }
    };
    noteCalls(0, this.log.last); // made after the append before
    for (const [index, entry] of entries.entries()) {
      this.#fold.push(entry);
      noteCalls(index + 1, this.log.last + 1);
      this.#addStep(entry);
    }
  }

  /** Adds a step for a call after which nothing was stored before the next one, such as one that failed. */
  #addCall(): void {
    const { seq } = this.#fold;
    const { model, attempt } = this.#modelCall!;
    this.#addStep({ seq, at: this.log.newest?.t ?? 0, type: "model.call", data: { model, attempt } });
  }

  #addStep(entry: SessionEntry | CallWithoutEntry): void {
    const { state, at, reason, kept, messages } = this.#fold.state();
    if (entry.type === "messages") this.#addMessages(messages, entry.data.from);
    if (this.log.last === 0) this.#startedAt = entry.at;
    if (entry.type === "turn.end") this.#error = entry.data.error as JsonObject | undefined;
    const error = reason === "ERROR" ? this.#error : undefined;
    const outcome = reason ? { reason, ...(error && { error }) } : null;
    const modelCall = this.#modelCall && { modelCall: this.#modelCall };
    const context = { ...kept, transcript: this.#transcript, at, outcome, ...modelCall };
    const keepBlob = (sha: string, text: string): void => void this.#blobs.set(sha, text);
    const serialize = (value: unknown): string => encodeToString(value, { keepBlob });
    const active = activeStates(state, this.#chart);
    const { edges, by } = entry.type === "position" ? this.#stepsOf(entry) : { edges: [], by: undefined };
    const ops = patchBetween(this.#context, context, { serialize });
    this.#context = context;
    this.#state = state;
    this.log.add({
      q: this.log.last + 1,
      t: entry.at,
      m: Math.max(0, entry.at - this.#startedAt),
      e: entry.type,
      v: encode(entry.data, { limits: PREVIEW }),
      x: edges,
      ...(by && { by }),
      s: this.log.stateOf(active),
      ...(ops.length > 0 && { p: ops }),
      j: entry.seq,
    });
  }

  /** Returns the row of the run; `overrides` are values from the store or the file. */
  row(overrides: Pick<RunRow, "source"> & Partial<RunRow>): RunRow {
    const { reason } = this.#fold.state();
    const name = this.#messages().findLast(({ role }) => role === "assistant")?.name;
    const phase = overrides.phase ?? restingPhaseOf(this.#state);
    return {
      runId: this.log.runId,
      agent: name ?? "",
      chart: "",
      phase,
      waitsFor: [],
      ...(reason && { reason }),
      ...aboutTurns({ reason, error: this.#error, messages: this.#messages() }),
      state: innermost(this.log.active),
      startedAt: this.#startedAt,
      updatedAt: this.log.newest?.t ?? 0,
      steps: this.log.last,
      seq: this.seq,
      usage: this.#messages().reduce<Usage>((sum, { usage }) => addUsage(sum, usage), {}),
      pending: this.pending(phase).length,
      can: [],
      ...overrides,
    };
  }

  /** Returns the open calls of a suspended session; empty for other phases. */
  pending(phase: SessionPhase = restingPhaseOf(this.#state)): readonly PendingItem[] {
    if (phase !== "suspended") return [];
    const calls = pendingCalls(contextOf(this.#fold.state(), READER_SETTINGS));
    return calls.map(({ callId, argsHash, ...call }) => ({
      ...(encode(call, { keepBlob: (sha, text) => void this.#blobs.set(sha, text) }) as object),
      callId,
      argsHash,
    })) as unknown as readonly PendingItem[];
  }

  /** The exceeded limit of the budget, or "". */
  get exceeded(): string {
    return this.#fold.state().kept.progress.exceeded ?? "";
  }

  /** Returns a long string that steps refer to. */
  blob(sha: string): string | undefined {
    return this.#blobs.get(sha);
  }

  /** Returns all long strings. */
  blobs(): Iterable<readonly [string, string]> {
    return this.#blobs;
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

  /** The edges that a position says were taken, and who caused the last of its steps. Sessions of releases that did not record
   *  them, and of other charts, have none. */
  #stepsOf(entry: Extract<SessionEntry, { readonly type: "position" }>): {
    readonly edges: readonly string[];
    readonly by?: StoredStep["by"];
  } {
    const { steps = [], chart = this.#writtenWith } = entry.data;
    this.#writtenWith = chart;
    const by = steps.findLast((step) => step.by)?.by;
    if (chart !== this.#hash) return { edges: [], ...(by && { by }) };
    const ids = steps.flatMap(({ x }) => x.flatMap((number) => this.#chart.edges[number]?.id ?? []));
    return { edges: ids, ...(by && { by }) };
  }
}
