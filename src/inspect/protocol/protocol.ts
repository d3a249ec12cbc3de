// src/inspect/protocol defines what agents, hub and page exchange: messages, steps, patches, and how values are encoded.
import type { StepAccount } from "../../../machines/agent/step-account.ts";
import type { Ack, PendingItem, RunCommand, RunCommandType } from "./commands.ts";
import type { Chart } from "../../core/diagram/chart-json.ts";
import type { Layouts } from "../../core/diagram/layout.ts";
import type { Json, JsonObject } from "../../core/base/json.ts";
import type { Reason, Usage } from "../../core/message/types.ts";
import type { SessionPhase } from "../../store/port.ts";
import type { ForkLabel } from "../../../machines/agent/prompt/edits.ts";
import type { WaitsFor } from "../../core/tool/pending.ts";
import type { ActorInfo, ActorStep } from "./actor-info.ts";

/**
 * The version of the wire protocol. A side that meets another version reports both, and which side to upgrade.
 */
export const PROTOCOL = 1;

/**
 * The close reason of a socket that sent no `hello` in time. It has the close code of a wrong token, but the
 * client reconnects.
 */
export const NO_HELLO = "No hello";

/**
 * An operation of a step on the displayed context. This is the machine's context with `messages`, the transcript as of the step, in place
 * of `transcript`, and with `modelCall`, the newest request to a model (RecordedCall). The kinds: set (`=`), delete (`d`; removes an
 * element of an array), append to an array (`+`), drop from the start of an array (`-`), append to a string (`s`). An operation whose path
 * does not exist changes nothing.
 */
export type PatchOp =
  | readonly ["=", Path, Json]
  | readonly ["d", Path]
  | readonly ["+", Path, readonly Json[]]
  | readonly ["-", Path, number]
  | readonly ["s", Path, string];
/** Keys and indexes from the top of the context; `[]` is the context itself, which the first step sets. */
export type Path = readonly (string | number)[];

/**
 * A reference to a string that is too long for the log: its length and first characters. The whole string is
 * fetched from `/api/runs/:id/blob/:sha` when it is opened.
 */
export type Blob = { readonly $blob: string; readonly length: number; readonly head: string };

/**
 * A step of a run: what one event did, the same for a live run and a stored one. The field names are short because a run has many
 * steps.
 */
export type Step = {
  /** The step's number in the run, from 1 without gaps. */
  readonly q: number;
  /** The time at which the event was, epoch ms; for display. */
  readonly t: number;
  /** Since the first step of the run that is known, ms; never less than that of the step before. For durations and order. */
  readonly m: number;
  /**
   * The event type as XState names it; in a stored run as the chart does, such as "xstate.done.actor.tool.*". "input.refused" for an
   * input that was refused, "journal" for changes whose steps are not known.
   */
  readonly e: string;
  /** The outcome of the step, as far as the context does not contain it; `v` is not needed to tell a step. */
  readonly d?: StepAccount;
  /** A preview of the event's payload, at most 8 KB; a stored run has none. */
  readonly v?: Json;
  /** The cause of the event; absent if the program that uses the agent caused it. */
  readonly by?: "caller" | "hook" | "inspector" | "worker" | "operator";
  /** The ids of the edges taken. */
  readonly x: readonly string[];
  /** The index of the states that are active after the step, in `StepPage.states`. */
  readonly s: number;
  /** The names of the actions that ran. */
  readonly k?: readonly string[];
  /** The changes of the context. */
  readonly p?: readonly PatchOp[];
  /** The position in the journal at that time; 0 or absent without a store. */
  readonly j?: number;
  /** Of a stored step: the position before it, at which a fork makes it again; 0 at the start. A live step has it as `j`. */
  readonly b?: number;
  /** Of an actor of another system. */
  readonly a?: ActorStep;
};

/** Steps of one run, in order. */
export type StepPage = {
  /** The id of the session. */
  readonly runId: string;
  /**
   * The configurations that steps refer to by index: the ids of all active states, outermost first. It only
   * grows.
   */
  readonly states: readonly (readonly string[])[];
  /**
   * From agents to the hub only: the index of the first of `states`; earlier ones were sent before. Pages get
   * the whole array, or an empty one if it has not grown.
   */
  readonly statesFrom?: number;
  /** The steps, in order and without gaps. */
  readonly items: readonly Step[];
  /** The context before the first of `items`; absent if they start with step 1. */
  readonly keyframe?: JsonObject;
  /** The number of steps of the run. */
  readonly total: number;
  /** The number of the oldest step that is available; older ones were dropped for lack of space. */
  readonly first: number;
};

/** The groups of the list of runs. */
export const RUN_GROUPS = ["needsYou", "running", "suspended", "finished"] as const;

/** A group of the list of runs. */
export type RunGroup = (typeof RUN_GROUPS)[number];

/** The source from which a run is read: a connected process, a store, or a file. */
export type RunSource = "live" | "store" | "file";

/** A run in the list: one session. */
export type RunRow = {
  /** The id of the session. */
  readonly runId: string;
  /** The name of the agent, or of the actor. */
  readonly agent: string;
  /** The actor of another system that the run shows; absent for an agent. Its status is in place of phase and reason. */
  readonly actor?: ActorInfo;
  /** The hash of its chart, see {@link ChartMessage}. */
  readonly chart: string;
  /** The source from which the hub reads the run. */
  readonly source: RunSource;
  /** The process that drives the run; absent if no process does. */
  readonly worker?: {
    readonly id: string;
    readonly pid: number;
    readonly isUp: boolean;
    readonly since: number;
  };
  /** The phase of the session. */
  readonly phase: SessionPhase;
  /** The conditions for which a suspended run waits; empty for other phases. */
  readonly waitsFor: readonly WaitsFor[];
  /** The reason for which the newest turn ended; absent while it runs. */
  readonly reason?: Reason;
  /** The reason for which the newest turn failed; absent if it did not fail. The message is at most 500 characters. */
  readonly error?: { readonly code: string; readonly message: string };
  /** The first words of the first input, at most 80 characters; absent in lists of a store for sessions of 0.1.0. */
  readonly title?: string;
  /** The innermost active state without the root: "acting.executing.running". */
  readonly state: string;
  /** The time of the first step, epoch ms. */
  readonly startedAt: number;
  /** The time of the newest step, epoch ms. */
  readonly updatedAt: number;
  /** The number of steps. */
  readonly steps: number;
  /** `steps` is an upper bound: a stored session in a list that has not been opened. */
  readonly isAtMost?: true;
  /**
   * The current position in the journal; absent without a store. To fork after the newest step, fork here; to
   * fork after another step, fork at `j` of the step that follows it.
   */
  readonly seq?: number;
  /** The usage of the whole run; a missing count is unknown. */
  readonly usage: Usage;
  /** The number of open calls. */
  readonly pending: number;
  /** The schedule that has started it, and the tick, ISO 8601. */
  readonly startedBy?: { readonly schedule: string; readonly tick: string };
  /** The run it was forked from, the position in that run's journal, and what was changed. */
  readonly forkOf?: { readonly runId: string; readonly seq: number; readonly changed?: readonly ForkLabel[] };
  /** The run and its call inside of which this run is, or which has started it in the background. */
  readonly parent?: { readonly runId: string; readonly callId: string };
  /**
   * The revision of a run at rest, an optimistic lock token: it differs each time the run has continued. A
   * command repeats it as `expect.leaf`. Absent while the run is running.
   */
  readonly leaf?: string;
  /** The commands that are available now. */
  readonly can: readonly RunCommandType[];
  /** The names of the slots that `setSlot` may write; absent without that command. */
  readonly slots?: readonly string[];
  /** The suspicions of it, the first finding of each kind, as far as it was looked at. */
  readonly suspicions?: readonly RowSuspicion[];
  /** A problem with its record, such as the line at which a damaged file was cut off. */
  readonly notice?: string;
};

/** A suspicion in the list of runs: the name of the check, and a few words. */
export type RowSuspicion = { readonly kind: string; readonly label: string };

/** A process that runs agents. */
export type WorkerRow = {
  /** The id of the process, unique on the hub. */
  readonly id: string;
  /** The operating system's process id. */
  readonly pid: number;
  /** False if the connection was lost. */
  readonly isUp: boolean;
  /** The time it connected, epoch ms; for a lost process the time it was last heard. */
  readonly since: number;
  /** The number of runs it drives, or drove when it was lost. */
  readonly runs: number;
};

/** Streamed text that is not in the context yet. Deltas may be dropped, which shows as a gap in `n`. */
export type StreamDelta = {
  /** The id of the session. */
  readonly runId: string;
  /** A counter per run. */
  readonly n: number;
  /** The id of the message that is streamed. */
  readonly messageId: string;
  /** The index of the block in the message. */
  readonly index: number;
  /** The type of the block; `tool` is output of a running tool. */
  readonly kind: "text" | "thinking" | "tool_use" | "tool";
  /** The id of the call, for `tool_use` and `tool`. */
  readonly callId?: string;
  /** The name of the tool, for `tool_use`. */
  readonly name?: string;
  /** The text that follows the previous delta of the block. */
  readonly delta: string;
};

/**
 * From the hub to a page. The hub answers `hello` with `welcome`, or closes the socket with 4401 (wrong token) or 4429 (too many of them).
 * A page of another protocol version gets `welcome` with the hub's version and is closed with 4406.
 */
export type HubToPage =
  | {
      readonly type: "welcome";
      readonly proto: number;
      readonly version: string;
      readonly pid: number;
      /** The id of this start of the hub: another one may number steps otherwise, and knows no run that was in memory. */
      readonly hub: string;
      readonly readonly: boolean;
    }
  | {
      readonly type: "runs";
      readonly op: "snapshot" | "upsert" | "remove";
      readonly rows: readonly RunRow[];
      readonly total: number;
    }
  /**
   * The processes, sent when one connects, disconnects, or drives another number of runs: at most 100 of
   * `total`, of which `up` are connected.
   */
  | {
      readonly type: "workers";
      readonly rows: readonly WorkerRow[];
      readonly up: number;
      readonly total: number;
    }
  | ChartMessage
  | ({ readonly type: "steps" } & StepPage)
  | { readonly type: "stream"; readonly items: readonly StreamDelta[] }
  | {
      readonly type: "pending";
      readonly runId: string;
      readonly items: readonly PendingItem[];
      readonly exceeded?: string;
    }
  /** Steps `from` to `to` were skipped because the page reads too slowly: it has to fetch them. */
  | { readonly type: "gap"; readonly runId: string; readonly from: number; readonly to: number }
  | ({ readonly type: "ack" } & Ack);

/** A chart with its layouts. */
export type ChartMessage = {
  readonly type: "chart";
  /** The hash of the chart; rows refer to it as `chart`. */
  readonly hash: string;
  readonly chart: Chart;
  /** Null if the layout took too long: display the outline. POST the chart to `/api/layouts` to wait longer. */
  readonly layouts: Layouts | null;
};

/** From a page to the hub (path `/ws`). */
export type PageToHub =
  | { readonly type: "hello"; readonly token: string; readonly proto: number }
  /** Subscribes to the steps after `after` (0: the newest page), and to live ones. */
  | { readonly type: "sub"; readonly runId: string; readonly after: number }
  | { readonly type: "unsub"; readonly runId: string }
  | { readonly type: "cmd"; readonly cmd: RunCommand };

/** From a process that runs agents to the hub (path `/worker`, with the token of workers). */
export type WorkerToHub =
  | {
      readonly type: "hello";
      readonly token: string;
      readonly proto: number;
      readonly worker: string;
      readonly pid: number;
      readonly charts: readonly { readonly hash: string; readonly chart: Chart }[];
    }
  /** A chart that `hello` did not contain; sent before the first run that has it. */
  | { readonly type: "chart"; readonly hash: string; readonly chart: Chart }
  | {
      readonly type: "run";
      readonly row: RunRow;
      readonly pending: readonly PendingItem[];
      readonly exceeded?: string;
    }
  | ({ readonly type: "steps" } & StepPage)
  | { readonly type: "stream"; readonly items: readonly StreamDelta[]; readonly dropped: number }
  | { readonly type: "ack"; readonly ack: Ack }
  /** A string that steps refer to, in `parts` parts. */
  | {
      readonly type: "blob";
      readonly runId: string;
      readonly sha: string;
      readonly part: number;
      readonly parts: number;
      readonly text: string;
    }
  /** This process no longer drives the run. */
  | { readonly type: "gone"; readonly runId: string };

/** From the hub to a process that runs agents. */
export type HubToWorker =
  /** The hub has these runs up to these steps: send the following ones. */
  | {
      readonly type: "welcome";
      readonly proto: number;
      readonly version: string;
      readonly have: { readonly [runId: string]: number };
    }
  | { readonly type: "cmd"; readonly cmd: RunCommand };

/**
 * The first line of an exported run. It is followed by `{ chart, layouts, hash }` and by one `Step` per line,
 * with a `{ keyframe, at }` line before them if the run began earlier, and `{ state: string[] }` lines that give each configuration its
 * index in order. Older releases wrote more keyframes, between steps. Last come `{ blob: sha, text }` lines.
 */
export type RunFileHeader = {
  /** The version of the file format. */
  readonly agentchartRun: number;
  /** The row of the run at the time of the export. */
  readonly row: RunRow;
  /** The time of the export, epoch ms. */
  readonly exportedAt: number;
};

// HTTP, GET with `Authorization: Bearer`:
//   /api/runs?q=&agent=&outcome=&tool=&suspicion=&since=&minCost=&group=&worker=&cursor=&limit=
//                                           { rows: RunRow[], cursor?, total, unindexed? }, see RunFilter, RunGroup
//   /api/runs/:id                           { row, chart: hash, pending, exceeded? }
//   /api/runs/:id/steps?from=&to=&knows=    StepPage, at most 1,000 steps; `knows=1`: without the context before `from`, which is known
//   /api/runs/:id/keyframe?at=              { at, context }
//   /api/runs/:id/prompt?at=                PromptLens: the newest request to a model at a step
//   /api/runs/:id/suspicions                { suspicions: Suspicion[], upTo }: what is odd up to step `upTo`
//   /api/runs/:id/messages?before=          { messages: ActorMessage[], before }: the newest messages of the actor's system
//   /api/suspicions                         { checks: { name, title }[] }
//   /api/runs/:id/blob/:sha                 text/plain
//   /api/runs/:id/export                    NDJSON, see RunFileHeader
//   /api/charts/:hash                       ChartMessage
// POST:
//   /api/layouts                            a chart: { layouts }
//   /api/machines                           the configuration of a machine of XState: an exported run in its first states
//   /api/raw-request                        { wire, request }: { raw: WireRequest } or { problem }
