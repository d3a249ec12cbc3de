import type { Chart } from "../../diagram/chart-json.ts";
import type { ErrorInfo } from "../../base/error.ts";
import type { Layouts } from "../../diagram/layout.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import type { Reason, Usage } from "../../message/types.ts";
import type { SessionPhase } from "../../store/port.ts";
import type { Decision, PendingCall, WaitsFor } from "../../tool/pending.ts";

/** The version of the wire. A side that meets another one says so and which side to upgrade. */
export const PROTOCOL = 1;

/** Why a hub closes a socket that did not say in time who it is, with the code of a wrong token: who reads it tries again. */
export const NO_HELLO = "No hello";

/** What one step changed in the shown context, which is the machine's own with `messages`, the transcript as of the step, in
 *  place of `transcript`: set, delete (of a list: take that element out), append to a list, drop from a list's
 *  start, append to a string. The path is a list of keys and indexes from the top of context; `[]` is context itself, which
 *  the first step sets. An operation whose place is not there changes nothing. */
export type PatchOp =
  | readonly ["=", Path, Json]
  | readonly ["d", Path]
  | readonly ["+", Path, readonly Json[]]
  | readonly ["-", Path, number]
  | readonly ["s", Path, string];
export type Path = readonly (string | number)[];

/** A string too long for the log: fetched whole from `/api/runs/:id/blob/:sha` when somebody opens it. */
export type Blob = { readonly $blob: string; readonly length: number; readonly head: string };

/** One step of a run: a microstep of the chart while it is live, a fact of the journal when it is read from a store. */
export type Step = {
  /** Its number in the run, from 1 without gaps. */
  readonly q: number;
  /** Wall clock, epoch ms: for display. */
  readonly t: number;
  /** Monotonic ms since the observer began: for durations and order. */
  readonly m: number;
  /** What caused it, as XState names it; "" for a transition that needs no event; the type of a journal entry. */
  readonly e: string;
  /** A short look at what the event carried, at most 8 KB. */
  readonly v?: Json;
  /** Who asked for the event; absent for the program itself. A message says so in its `metadata.by`. */
  readonly by?: "inspector";
  /** The edges taken, by their id in the chart. */
  readonly x: readonly string[];
  /** Index of the states active after it, in `StepPage.states`. */
  readonly s: number;
  /** The actions that ran, by name. */
  readonly k?: readonly string[];
  /** How context changed. */
  readonly p?: readonly PatchOp[];
  /** Position in the journal when it happened; 0 or absent without a store. */
  readonly j?: number;
};

/** Steps of one run, in order. */
export type StepPage = {
  readonly runId: string;
  /** Configurations that steps refer to by index: the ids of all active states, outermost first. It grows, it never changes. */
  readonly states: readonly (readonly string[])[];
  /** From agents to the hub only: the index of the first of `states`; those before it were sent already. Pages get the whole list,
   *  or an empty one if it has not grown. */
  readonly statesFrom?: number;
  readonly items: readonly Step[];
  /** Context before the first of `items`; absent when they begin with step 1. */
  readonly keyframe?: JsonObject;
  /** How many steps the run has. */
  readonly total: number;
  /** True if older steps were dropped for want of room; `first` is the oldest that is left. */
  readonly first: number;
};

export type RunSource = "live" | "store" | "file";

/** A run in the list: one session. */
export type RunRow = {
  /** The session's id. */
  readonly runId: string;
  readonly agent: string;
  /** Hash of its chart, see `ChartMessage`. */
  readonly chart: string;
  readonly source: RunSource;
  /** The process that drives it; absent for one that nobody drives. */
  readonly worker?: {
    readonly id: string;
    readonly pid: number;
    readonly isUp: boolean;
    readonly since: number;
  };
  readonly phase: SessionPhase;
  readonly waitsFor: readonly WaitsFor[];
  readonly reason?: Reason;
  /** The innermost active state without the root: "acting.executing.running". */
  readonly state: string;
  readonly startedAt: number;
  readonly updatedAt: number;
  readonly steps: number;
  /** Position of the journal now; absent without a store. To fork behind the newest step, fork here; to fork behind another
   *  one, fork at `j` of the step after it. */
  readonly seq?: number;
  /** Of the whole run; a missing figure is not known. */
  readonly usage: Usage;
  readonly pending: number;
  readonly forkOf?: { readonly runId: string; readonly seq: number };
  /** Names the state in which it rests: another one each time that it has gone on. Absent while it runs. */
  readonly leaf?: string;
  /** What may be asked of it now. */
  readonly can: readonly CommandType[];
  /** What is wrong with its record: where a damaged file was cut off. */
  readonly notice?: string;
};

/** A process that runs agents. */
export type WorkerRow = {
  readonly id: string;
  readonly pid: number;
  readonly isUp: boolean;
  /** Epoch ms since when it is up; of one that was lost, when it was last heard. */
  readonly since: number;
  /** How many runs it drives, or drove when it was lost. */
  readonly runs: number;
};

/** Text that arrives before the chart knows of it: may be dropped, `n` shows it. */
export type StreamDelta = {
  readonly runId: string;
  /** Counts up in the run. */
  readonly n: number;
  readonly messageId: string;
  readonly index: number;
  readonly kind: "text" | "thinking" | "tool_use" | "tool";
  readonly callId?: string;
  readonly name?: string;
  readonly delta: string;
};

export type CommandType =
  | "decide"
  | "extendBudget"
  | "interrupt"
  | "steer"
  | "send"
  | "shutdown"
  | "resume"
  | "fork"
  | "forkPlan";

/** What was on the screen when a person asked: `leaf` of the row. A run that has gone on since refuses as `stale`. */
type Expected = { readonly expect?: { readonly leaf: string } };

/** What a person asks of a run. A command is carried out once per `id`. */
export type Command = { readonly id: string; readonly runId: string } & (
  | {
      readonly type: "decide";
      readonly callId: string;
      readonly decision: Decision;
      readonly argsHash: string;
    }
  | ({ readonly type: "extendBudget"; readonly extra: { readonly [limit: string]: number } } & Expected)
  | { readonly type: "interrupt"; readonly text?: string }
  | { readonly type: "steer"; readonly text: string }
  /** A message of the user for a session that rests. */
  | ({ readonly type: "send"; readonly text: string } & Expected)
  /** Stop at the next commit point; `resume` goes on. */
  | { readonly type: "shutdown" }
  | ({ readonly type: "resume" } & Expected)
  /** A new session with the journal up to `seq`; `edits` replace the text of messages by their id. `start` runs it at once. */
  | {
      readonly type: "fork";
      readonly seq: number;
      readonly edits?: readonly { readonly messageId: string; readonly text: string }[];
      readonly start?: boolean;
    }
  /** What a fork at `seq` would run again; changes nothing. The list comes in `Ack.data`: `{ willRun: string[] }`. */
  | { readonly type: "forkPlan"; readonly seq: number }
);

/** An open call with the schema of its arguments, if its tool is known: what the form of an edit is made from. */
export type PendingItem = PendingCall & { readonly inputSchema?: JsonObject };

/** How a command ended. `code` beside the agent's own: `stale` (what was seen has changed), `answered` (somebody was first),
 *  `readonly`, `unavailable` (no process drives the run), `invalid`. */
export type Ack = {
  readonly id: string;
  readonly ok: boolean;
  readonly seq?: number;
  readonly data?: JsonObject;
  readonly error?: {
    readonly code: ErrorInfo["code"] | "stale" | "answered" | "readonly" | "unavailable" | "invalid";
    readonly message: string;
  };
};

/** From the hub to a page. The first answer to `hello` is `welcome`, or the connection closes with 4401 (token); one of another
 *  version gets `welcome`, which tells the hub's, and is closed with 4406. */
export type HubToPage =
  | {
      readonly type: "welcome";
      readonly proto: number;
      readonly version: string;
      readonly pid: number;
      readonly readonly: boolean;
    }
  | {
      readonly type: "runs";
      readonly op: "snapshot" | "upsert" | "remove";
      readonly rows: readonly RunRow[];
      readonly total: number;
    }
  /** The processes, whenever one comes, goes, or drives more or fewer runs: at most 100 of `total`, of which `up` are up. */
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
  /** Steps `from` to `to` were left out for want of room on the wire: fetch them. */
  | { readonly type: "gap"; readonly runId: string; readonly from: number; readonly to: number }
  | ({ readonly type: "ack" } & Ack);

export type ChartMessage = {
  readonly type: "chart";
  readonly hash: string;
  readonly chart: Chart;
  /** Null if it could not be laid out in time: show the outline. POST it to `/api/layouts` to wait for more. */
  readonly layouts: Layouts | null;
};

export type PageToHub =
  | { readonly type: "hello"; readonly token: string; readonly proto: number }
  /** Steps after `after` (0 = all that the hub sends by itself, the newest page), then live ones. */
  | { readonly type: "sub"; readonly runId: string; readonly after: number }
  | { readonly type: "unsub"; readonly runId: string }
  | { readonly type: "cmd"; readonly cmd: Command };

/** From the process that runs agents to the hub (path `/worker`, own token). */
export type WorkerToHub =
  | {
      readonly type: "hello";
      readonly token: string;
      readonly proto: number;
      readonly worker: string;
      readonly pid: number;
      readonly charts: readonly { readonly hash: string; readonly chart: Chart }[];
    }
  /** A chart that `hello` did not name; it comes before the first run that has it. */
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
  /** A string that steps refer to, in `parts` pieces. */
  | {
      readonly type: "blob";
      readonly runId: string;
      readonly sha: string;
      readonly part: number;
      readonly parts: number;
      readonly text: string;
    }
  /** Nobody in this process drives the run any more. */
  | { readonly type: "gone"; readonly runId: string };

/** From the hub to a process that runs agents. */
export type HubToWorker =
  /** The hub has these runs up to these steps: send what follows. */
  | {
      readonly type: "welcome";
      readonly proto: number;
      readonly version: string;
      readonly have: { readonly [runId: string]: number };
    }
  | { readonly type: "cmd"; readonly cmd: Command };

/** The first line of an exported run; then `{ chart, layouts, hash }`, then one `Step` a line with `{ keyframe, at }` lines between, and
 *  `{ state: string[] }` lines that give each configuration its index in order. Last come `{ blob: sha, text }` lines. */
export type RunFileHeader = {
  readonly agentchartRun: number;
  readonly row: RunRow;
  readonly exportedAt: number;
};

// HTTP, GET with `Authorization: Bearer`:
//   /api/runs?q=&group=&worker=&cursor=&limit=
//                                           { rows: RunRow[], cursor?, total }   group: needsYou | running | suspended | finished
//   /api/runs/:id                           { row, chart: hash, pending, exceeded? }
//   /api/runs/:id/steps?from=&to=           StepPage, at most 1,000 steps
//   /api/runs/:id/keyframe?at=              { at, context }
//   /api/runs/:id/blob/:sha                 text/plain
//   /api/runs/:id/export                    NDJSON, see RunFileHeader
//   /api/charts/:hash                       ChartMessage
