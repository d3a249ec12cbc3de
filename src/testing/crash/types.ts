// src/testing/crash kills the process of an agent at every point of a scenario, and says what was lost, repeated or changed.
import type { ErrorInfo } from "../../core/base/error.ts";
import type { Json, JsonObject } from "../../core/base/json.ts";
import type { Decision, PendingCall } from "../../core/tool/pending.ts";
import type { SessionStore } from "../../store/port.ts";

/** One run of a scenario, for what the world outside of it is. */
export type CrashRun = {
  /** The id of its session. */
  readonly sessionId: string;
  /** An empty folder of its own, which is also in the environment of its processes as `AGENTCHART_CRASHTEST`. */
  readonly folder: string;
};

/** A conversation in which the process of an agent is killed. A file exports it as `scenario`, beside its agents. */
export type CrashScenario = {
  /** The name of the agent; default: the only one of the file. */
  readonly agent?: string | undefined;
  /** The inputs of the user: one text, or a text for each turn. */
  readonly input: string | readonly string[];
  /** Decides about a call that waits; undefined leaves it waiting. Default: calls that ask for an approval are approved. It is not asked
   *  about an unknown outcome: the ledger knows whether the call has come to its end. */
  readonly decide?: ((call: PendingCall) => Decision | undefined | Promise<Decision | undefined>) | undefined;
  /** Returns what the tools have done outside, such as the rows of a table. It is compared with that of the run without a kill.
   *  Default: only calls of tools are compared. */
  readonly effects?: ((run: CrashRun) => Json | Promise<Json>) | undefined;
  /** Returns the store as the program wraps it. Default: the store itself. */
  readonly store?: ((store: SessionStore) => SessionStore) | undefined;
  /** Labels of the session. */
  readonly meta?: JsonObject | undefined;
};

/** Another release of the agent, with which the next process goes on. It has another prompt, another schema or another name of each
 *  tool, or the one in the file of `release`. */
export type CrashRelease = "prompt" | "schema" | "name" | "file";

/** A place at which the process of a run ends, written as `kill:append:3:before`. `stop` stops it, lets a second worker take over, and
 *  continues it; `repeat` calls a tool twice with the same idempotency key. */
export type CrashPoint = {
  readonly how: "kill" | "stop" | "repeat";
  /** The instant, such as `append:3:before`, `tool:refund:1:after` or `waiting:1`; of `repeat` the name of the tool. */
  readonly instant: string;
  /** The instant in words. */
  readonly label: string;
  readonly release?: CrashRelease | undefined;
};

/** The kinds of findings. */
export type CrashFindingKind =
  | "lost-input"
  | "effect-twice"
  | "effects-changed"
  | "not-idempotent"
  | "approval-lost"
  | "approval-renamed"
  | "approval-mistaken"
  | "lease-ignored"
  | "endless"
  | "cannot-open"
  | "failed"
  | "result-changed";

/** Something that a kill has changed, at the first of the points at which it did. */
export type CrashFinding = {
  readonly kind: CrashFindingKind;
  /** A sentence that says what happened. */
  readonly message: string;
  /** The name of the tool or of the approval that it is about. */
  readonly subject?: string | undefined;
  /** The point in words. */
  readonly where: string;
  /** The point, as `at` takes it. */
  readonly at: string;
  /** The session of the run, in the store of the report. */
  readonly sessionId: string;
  /** The number of other points at which the same happened. */
  readonly others: number;
};

/** Advice about a tool; it is not a fault. */
export type CrashAdvice = {
  readonly tool: string;
  /** `could-be-idempotent`: to run it twice did nothing more, and a person is asked after a crash. `results-differ`: it is repeated after
   *  a crash and answered otherwise the second time; without `effects` nobody knows whether it also acted twice. */
  readonly advice: "could-be-idempotent" | "results-differ";
  readonly message: string;
};

/** The report of {@link crashTest}, as plain JSON. */
export type CrashReport = {
  readonly agent: string;
  /** `sound`: nothing was found. `faulty`: something was. `incomplete`: nothing was, and the time was over before all points.
   *  `endless`: the scenario does not end without a kill either. `broken`: it fails without a kill, see `error`. */
  readonly state: "sound" | "faulty" | "incomplete" | "endless" | "broken";
  readonly findings: readonly CrashFinding[];
  readonly advice: readonly CrashAdvice[];
  /** `unreached`: points that the run with the kill did not come to. `impossible`: releases with which the agent cannot be made. */
  readonly points: {
    readonly total: number;
    readonly run: number;
    readonly unreached: number;
    readonly impossible: number;
  };
  /** The parts that the test could not watch, such as the tools of a toolkit. */
  readonly unwatched: readonly string[];
  /** The store with the sessions, as `--store` takes it, without a password. */
  readonly store: string;
  readonly seconds: number;
  readonly error?: ErrorInfo | undefined;
};

/** Options of {@link crashTest}. */
export type CrashTestOptions = {
  /** The agent; default: that of the scenario, or the only one of the file. */
  readonly agent?: string | undefined;
  /** The name of the scenario, if the file exports several as `scenarios`. */
  readonly scenario?: string | undefined;
  /** The inputs of the user, if the file exports no scenario. */
  readonly input?: readonly string[] | undefined;
  /** The store: `file:DIR`, `sqlite:PATH` or `postgres://…`. Default: SQLite in a new folder. */
  readonly store?: string | undefined;
  /** A file with the agents of the next release, with which runs go on after a kill too. */
  readonly release?: string | undefined;
  /** Only these points, as {@link CrashFinding} names them. Default: all. */
  readonly at?: readonly string[] | undefined;
  /** The longest time of all, ms; default 600,000. Then the report has what is known. */
  readonly timeLimitMs?: number | undefined;
  /** The longest time of one process, ms; default 30,000. A turn that takes longer is one that never ends. */
  readonly lifeLimitMs?: number | undefined;
  /** The number of runs that are made at once, 1 to 64; default: the number of processors. */
  readonly concurrency?: number | undefined;
  /** Ends the test; then it rejects `run/aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each run. */
  readonly onProgress?:
    | ((progress: { readonly done: number; readonly of: number; readonly findings: number }) => void)
    | undefined;
};
