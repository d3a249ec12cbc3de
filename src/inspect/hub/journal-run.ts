import type { Chart, ChartEdge, ChartName } from "../../diagram/chart-json.ts";
import { patchBetween } from "../protocol/diff.ts";
import { encode, encodeToString, PREVIEW } from "../protocol/encode.ts";
import { innermost } from "../client/watched-run.ts";
import { Transcript } from "../../message/transcript.ts";
import type { Msg, Usage } from "../../message/types.ts";
import { contextOf, JournalFold } from "../../session/fold.ts";
import { entryPointOf, type PersistedContext } from "../../session/format.ts";
import { READER_SETTINGS } from "../../session/reader-settings.ts";
import type { JournalEntry, SessionPhase } from "../../store/port.ts";
import { pendingCalls } from "../../../machines/agent/updates/calls.ts";
import { addUsage } from "../../../machines/agent/updates/usage.ts";
import type { PendingItem, RunRow } from "../protocol/protocol.ts";
import { activeStates } from "./active-states.ts";
import { RunLog } from "./run-log.ts";
import { RESUME, TransitionInference } from "./transition-inference.ts";

/** A stored session as steps: one for each entry of its journal, named by the type of the entry. */
export class JournalRun {
  /** The steps of the run. */
  readonly log: RunLog;
  readonly #chart: Chart;
  readonly #inference: TransitionInference;
  readonly #resumes: readonly ChartEdge[];
  /** The states that call the model: entering one counts as a model call. */
  readonly #modelStates: ReadonlySet<string>;
  readonly #fold = new JournalFold(READER_SETTINGS);
  readonly #blobs = new Map<string, string>();
  #transcript = Transcript.of();
  #context: Readonly<Record<string, unknown>> | undefined;
  #startedAt = 0;
  #state = "stopped.idle";
  /** True if an inbox was written after the last position; a restored session always writes one. */
  #hasNewInbox = false;

  constructor(runId: string, chart: Chart) {
    this.log = new RunLog(runId);
    this.#chart = chart;
    this.#inference = new TransitionInference(chart);
    const modelStates = chart.nodes.filter(({ invoke }) => invoke.includes("callModel"));
    this.#modelStates = new Set(modelStates.map(({ id }) => id));
    this.#resumes = chart.edges.filter(({ event, targets }) => event === RESUME && targets.length > 0);
  }

  /** The position in the journal. */
  get seq(): number {
    return this.#fold.seq;
  }

  /** Adds an entry. Throws `session/damaged` or `session/version` as the journal's reader does. */
  add(entry: JournalEntry): void {
    const { kept: before } = this.#fold.state();
    this.#fold.push(entry);
    const { state, at, reason, kept, messages } = this.#fold.state();
    if (entry.type === "messages") this.#addMessages(messages, entry);
    if (this.log.last === 0) this.#startedAt = entry.at;
    const context = { ...kept, transcript: this.#transcript, at, outcome: reason ? { reason } : null };
    const keepBlob = (sha: string, text: string): void => void this.#blobs.set(sha, text);
    const serialize = (value: unknown): string => encodeToString(value, { keepBlob });
    const active = activeStates(state, this.#chart);
    const edges = this.#state === state ? [] : this.#edgesTo(active, before, kept);
    if (entry.type === "position") this.#hasNewInbox = false;
    else if (entry.type === "kept" && "inbox" in entry.data) this.#hasNewInbox = true;
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
      s: this.log.stateOf(active),
      ...(ops.length > 0 && { p: ops }),
      j: entry.seq,
    });
  }

  /** Returns the row of the run; `overrides` are values from the store or the file. */
  row(overrides: Pick<RunRow, "source"> & Partial<RunRow>): RunRow {
    const { reason } = this.#fold.state();
    const name = this.#messages().findLast(({ role }) => role === "assistant")?.name;
    const phase = overrides.phase ?? phaseOf(this.#state);
    return {
      runId: this.log.runId,
      agent: name ?? "",
      chart: "",
      phase,
      waitsFor: [],
      ...(reason && { reason }),
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
  pending(phase: SessionPhase = phaseOf(this.#state)): readonly PendingItem[] {
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

  #addMessages(messages: readonly Msg[], { data }: JournalEntry): void {
    const from = data["from"] as number;
    const added = messages.slice(from);
    this.#transcript =
      from === this.#transcript.length
        ? this.#transcript.append(added)
        : this.#transcript.replaceFrom(from, added);
  }

  /** Returns the edges that were certainly taken to get to these states. */
  #edgesTo(active: readonly string[], before: PersistedContext, after: PersistedContext): readonly string[] {
    const [from, to] = [this.log.active.at(-1), active.at(-1)];
    if (from === undefined || to === undefined) return [];
    const isNewTurn = after.progress.turn > before.progress.turn;
    const modelCalls = after.progress.stats.modelCalls - (isNewTurn ? 0 : before.progress.stats.modelCalls);
    const callsModel = active.some((id) => this.#modelStates.has(id));
    const entryPoint = before.progress.resumeAt ?? entryPointAt(this.#state);
    const resumes = this.#hasNewInbox && !isNewTurn ? this.#resumes : [];
    return this.#inference.between(
      from,
      to,
      resumes.filter(({ guard }) => mayResume(guard, entryPoint, before)),
      modelCalls > (callsModel ? 1 : 0) ? undefined : "callModel",
    );
  }
}

/** The entry point of a state; null for a state that is not part of this release's chart. */
function entryPointAt(state: string): string | null {
  try {
    return entryPointOf(state);
  } catch {
    return null;
  }
}

/** True if an edge may have resumed a session that was cut off in this state of its journal. */
function mayResume(
  guard: ChartName | undefined,
  entryPoint: string | null,
  { interruption }: PersistedContext,
): boolean {
  if (guard?.name === "resumesIn") return guard.params?.["place"] === entryPoint;
  if (guard?.name === "wasInterrupted") return entryPoint !== null && interruption !== null;
  if (guard?.name === "staysSuspended") return entryPoint === null;
  return true;
}

function phaseOf(state: string): SessionPhase {
  if (state.startsWith("stopped")) return "stopped";
  return state.startsWith("suspended") ? "suspended" : "unfinished";
}
