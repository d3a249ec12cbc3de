import type { Chart, ChartEdge, ChartName } from "../../diagram/chart-json.ts";
import { patchBetween } from "../protocol/diff.ts";
import { encode, encodeText, PREVIEW } from "../protocol/encode.ts";
import { innermost } from "../client/watch-run.ts";
import { Transcript } from "../../message/transcript.ts";
import type { Msg, Usage } from "../../message/types.ts";
import { contextOf, JournalFold } from "../../session/fold.ts";
import { entryPointOf, type PersistedContext } from "../../session/format.ts";
import { READER_SETTINGS } from "../../session/reader-settings.ts";
import type { JournalEntry, SessionPhase } from "../../store/port.ts";
import { pendingCalls } from "../../../machines/agent/updates/calls.ts";
import { addUsage } from "../../../machines/agent/updates/usage.ts";
import type { RunRow } from "../protocol/protocol.ts";
import type { PendingItem } from "../protocol/protocol.ts";
import { activeIn } from "./active-in.ts";
import { RunLog } from "./run-log.ts";
import { RESUME, Ways } from "./ways.ts";

/** A journal as steps: one for each of its entries, named by its type. */
export class FoldedRun {
  readonly log: RunLog;
  readonly #chart: Chart;
  readonly #ways: Ways;
  readonly #resumes: readonly ChartEdge[];
  /** The states in which the model answers: entering one counts as a call of it. */
  readonly #asking: ReadonlySet<string>;
  readonly #fold = new JournalFold(READER_SETTINGS);
  readonly #blobs = new Map<string, string>();
  #transcript = Transcript.of();
  #shown: Readonly<Record<string, unknown>> | undefined;
  #startedAt = 0;
  #state = "stopped.idle";
  /** Since the last position; who is restored always writes one. */
  #hasNewInbox = false;

  constructor(runId: string, chart: Chart) {
    this.log = new RunLog(runId);
    this.#chart = chart;
    this.#ways = new Ways(chart);
    const asking = chart.nodes.filter(({ invoke }) => invoke.includes("callModel"));
    this.#asking = new Set(asking.map(({ id }) => id));
    this.#resumes = chart.edges.filter(({ event, targets }) => event === RESUME && targets.length > 0);
  }

  /** The position in the journal. */
  get seq(): number {
    return this.#fold.seq;
  }

  /** Throws what the journal's reader throws: `session/damaged`, `session/version`. */
  take(entry: JournalEntry): void {
    const { kept: stood } = this.#fold.state();
    this.#fold.push(entry);
    const { state, at, reason, kept, messages } = this.#fold.state();
    if (entry.type === "messages") this.#takeMessages(messages, entry);
    if (this.log.last === 0) this.#startedAt = entry.at;
    const shown = { ...kept, transcript: this.#transcript, at, outcome: reason ? { reason } : null };
    const keep = (sha: string, text: string): void => void this.#blobs.set(sha, text);
    const show = (value: unknown): string => encodeText(value, { keep });
    const active = activeIn(state, this.#chart);
    const edges = this.#state === state ? [] : this.#edgesTo(active, stood, kept);
    if (entry.type === "position") this.#hasNewInbox = false;
    else if (entry.type === "kept" && "inbox" in entry.data) this.#hasNewInbox = true;
    const ops = patchBetween(this.#shown, shown, { show });
    this.#shown = shown;
    this.#state = state;
    this.log.take({
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

  /** How the run stands. What a store or a file says besides may be given. */
  row(told: Pick<RunRow, "source"> & Partial<RunRow>): RunRow {
    const { reason } = this.#fold.state();
    const name = this.#messages().findLast(({ role }) => role === "assistant")?.name;
    const phase = told.phase ?? phaseOf(this.#state);
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
      ...told,
    };
  }

  pending(phase: SessionPhase = phaseOf(this.#state)): readonly PendingItem[] {
    if (phase !== "suspended") return [];
    const calls = pendingCalls(contextOf(this.#fold.state(), READER_SETTINGS));
    return calls.map(({ callId, argsHash, ...call }) => ({
      ...(encode(call, { keep: (sha, text) => void this.#blobs.set(sha, text) }) as object),
      callId,
      argsHash,
    })) as unknown as readonly PendingItem[];
  }

  get exceeded(): string {
    return this.#fold.state().kept.progress.exceeded ?? "";
  }

  blob(sha: string): string | undefined {
    return this.#blobs.get(sha);
  }

  blobs(): Iterable<readonly [string, string]> {
    return this.#blobs;
  }

  #messages(): readonly Msg[] {
    return this.#fold.state().messages;
  }

  #takeMessages(messages: readonly Msg[], { data }: JournalEntry): void {
    const from = data["from"] as number;
    const added = messages.slice(from);
    this.#transcript =
      from === this.#transcript.length
        ? this.#transcript.append(added)
        : this.#transcript.replaceFrom(from, added);
  }

  /** The edges that were taken for certain to get to these states. */
  #edgesTo(active: readonly string[], stood: PersistedContext, stands: PersistedContext): readonly string[] {
    const [from, to] = [this.log.active.at(-1), active.at(-1)];
    if (from === undefined || to === undefined) return [];
    const isNewTurn = stands.progress.turn > stood.progress.turn;
    const asked = stands.progress.stats.modelCalls - (isNewTurn ? 0 : stood.progress.stats.modelCalls);
    const isAsking = active.some((id) => this.#asking.has(id));
    const place = stood.progress.resumeAt ?? placeOf(this.#state);
    const resumes = this.#hasNewInbox && !isNewTurn ? this.#resumes : [];
    return this.#ways.between(
      from,
      to,
      resumes.filter(({ guard }) => mayResume(guard, place, stood)),
      asked > (isAsking ? 1 : 0) ? undefined : "callModel",
    );
  }
}

/** Where a state is entered again; null also for one that no chart here has. */
function placeOf(state: string): string | null {
  try {
    return entryPointOf(state);
  } catch {
    return null;
  }
}

/** Whether an edge may have resumed a session that was cut off while its journal said this. */
function mayResume(
  guard: ChartName | undefined,
  place: string | null,
  { interruption }: PersistedContext,
): boolean {
  if (guard?.name === "resumesIn") return guard.params?.["place"] === place;
  if (guard?.name === "wasInterrupted") return place !== null && interruption !== null;
  if (guard?.name === "staysSuspended") return place === null;
  return true;
}

function phaseOf(state: string): SessionPhase {
  if (state.startsWith("stopped")) return "stopped";
  return state.startsWith("suspended") ? "suspended" : "unfinished";
}
