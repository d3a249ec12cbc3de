import type { Chart, ChartEdge } from "../chart/chart-json.ts";
import { patchBetween } from "../inspect/diff.ts";
import { encode, PREVIEW } from "../inspect/encode.ts";
import { innermost } from "../inspect/watch-run.ts";
import { Transcript } from "../message/transcript.ts";
import type { Msg, Usage } from "../message/types.ts";
import { contextOf, JournalFold } from "../session/fold.ts";
import { NO_SETTINGS } from "../session/no-settings.ts";
import type { JournalEntry, SessionPhase } from "../store/port.ts";
import { pendingCalls } from "../turn/calls.ts";
import { addUsage } from "../turn/usage.ts";
import type { RunRow } from "../inspect/protocol.ts";
import type { PendingItem } from "../inspect/protocol.ts";
import { activeIn } from "./active-in.ts";
import { RunLog } from "./run-log.ts";

/** A journal as steps: one for each of its entries, named by its type. */
export class FoldedRun {
  readonly log: RunLog;
  readonly #chart: Chart;
  readonly #fold = new JournalFold(NO_SETTINGS);
  readonly #blobs = new Map<string, string>();
  #transcript = Transcript.of();
  #shown: Readonly<Record<string, unknown>> | undefined;
  #startedAt = 0;
  #state = "stopped.idle";

  constructor(runId: string, chart: Chart) {
    this.log = new RunLog(runId);
    this.#chart = chart;
  }

  /** The position in the journal. */
  get seq(): number {
    return this.#fold.seq;
  }

  /** Throws what the journal's reader throws: `session/damaged`, `session/version`. */
  take(entry: JournalEntry): void {
    this.#fold.push(entry);
    const { state, at, reason, kept, messages } = this.#fold.state();
    if (entry.type === "messages") this.#takeMessages(messages, entry);
    if (this.log.last === 0) this.#startedAt = entry.at;
    const shown = { ...kept, transcript: this.#transcript, at, outcome: reason ? { reason } : null };
    const show = (value: unknown) => encode(value, { keep: (sha, text) => void this.#blobs.set(sha, text) });
    const before = this.log.active;
    const active = activeIn(state, this.#chart);
    const edges = this.#state === state ? [] : this.#edgesBetween(before, active);
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
    const calls = pendingCalls(contextOf(this.#fold.state(), NO_SETTINGS));
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

  /** A journal says where the session stood, not how it went there: an edge is named if only one leads from here to there. */
  #edgesBetween(before: readonly string[], after: readonly string[]): readonly string[] {
    const leads = ({ source, targets }: ChartEdge): boolean =>
      before.includes(source) &&
      targets.length > 0 &&
      targets.every((target) => this.#entersInto(target, after));
    const [edge, ...others] = this.#chart.edges.filter(leads);
    return edge && others.length === 0 ? [edge.id] : [];
  }

  #entersInto(target: string, after: readonly string[]): boolean {
    if (!after.includes(target)) return false;
    const inner = after.slice(after.indexOf(target) + 1);
    let at = target;
    for (const id of inner) {
      if (this.#chart.nodes.find((node) => node.id === at)?.initial !== id) return false;
      at = id;
    }
    return true;
  }
}

function phaseOf(state: string): SessionPhase {
  if (state.startsWith("stopped")) return "stopped";
  return state.startsWith("suspended") ? "suspended" : "unfinished";
}
