import type { JsonObject } from "../../core/base/json.ts";
import type { ErrorInfo } from "../../core/base/error.ts";
import * as s from "../../core/base/option-schema.ts";
import type { Rule } from "../../core/tool/rules/rule.ts";
import type { AgentChange } from "../../core/tool/fingerprint.ts";
import { SESSION_PHASES } from "../../core/base/phase.ts";
import type { SessionFilter, SessionStore } from "../../store/port.ts";
import type { AgentDifference } from "../replay/agent-changes.ts";
import type { Divergence } from "../replay/divergence.ts";
import type { ReplayOptions } from "../replay/types.ts";
import type { RunCondition } from "./run-condition.ts";
import type { Rate } from "./types.ts";
import { pagesOf } from "../../store/pages.ts";

/** The part of a run that an experiment compares. */
export type ExperimentAspect = "outcome" | "calls" | "edges" | "text" | "rules";

/** Options of {@link experiment}. */
export type ExperimentOptions = Pick<
  ReplayOptions,
  "agent" | "changes" | "onDivergence" | "live" | "ask" | "decide" | "into" | "signal"
> & {
  /** The ids of sessions, or a filter of the store. Default: all. A filter finds no replay that an experiment has written, unless its `meta` names
   *  `replayOf`. */
  readonly sessions?: readonly string[] | SessionFilter | undefined;
  /** The place at which each run begins: `"start"` (default), before the step of a number, or before the step in which a condition first
   *  holds. Sessions without it are not run. */
  readonly at?: "start" | number | RunCondition | undefined;
  /** The number of runs of each session, 1 to 100; default 1. */
  readonly times?: number | undefined;
  /** The answers. `recorded` (default): those of the session, and no model is asked. `live`: the model of the agent is asked, which costs what
   *  it costs. Changes that only a model notices (`system`, `model`, `options`) need one of the two. */
  readonly model?: "recorded" | "live" | undefined;
  /** The results of calls. `recorded` (default): those of the session; other calls do not run unless `onDivergence` and `live` say so.
   *  `live`: the tools that `live` names run. */
  readonly tools?: "recorded" | "live" | undefined;
  /** The rules by which both runs are judged; default: those that were noted while they ran. */
  readonly rules?: readonly Rule[] | undefined;
  /** The number of runs at once, 1 to 100; default 4. */
  readonly concurrency?: number | undefined;
  /** The most sessions; default: no limit. */
  readonly limit?: number | undefined;
  /** The longest time of a run, ms; default 1,800,000. One that takes longer, such as one whose `agent` never answers, is an error. */
  readonly runLimitMs?: number | undefined;
  /** No run begins once the runs have used so much; those that are left are skipped. */
  readonly budget?: { readonly cost?: number | undefined; readonly tokens?: number | undefined } | undefined;
  /** Called after each run. */
  readonly onProgress?:
    | ((progress: { readonly done: number; readonly of: number; readonly row: ExperimentRow }) => void)
    | undefined;
};

/** A value before and after the change. */
export type Pair<T> = { readonly before: T; readonly after: T };

/** One run of a session. It is plain JSON. */
export type ExperimentRow = {
  readonly sessionId: string;
  /** From 1. */
  readonly repeat: number;
  /** `unmet`: the session does not have the place at which to begin. `moved`: it was changed meanwhile. `skipped`: the budget was used up.
   *  `error`: it could not be run. */
  readonly state: "same" | "different" | "error" | "unmet" | "moved" | "skipped";
  /** The run, in the store of the report. */
  readonly replayId?: string | undefined;
  /** The parts that are others than before. */
  readonly changed: readonly ExperimentAspect[];
  /** The place at which the messages part. */
  readonly divergence?: Divergence | undefined;
  /** The edges with which the runs part, the step of each, and the state to which it led. */
  readonly edges?: Pair<{ readonly edge: string; readonly step: number; readonly to: string }> | undefined;
  readonly outcome?: Pair<string> | undefined;
  readonly tokens?: Pair<number | undefined> | undefined;
  readonly cost?: Pair<number | undefined> | undefined;
  /** The number of calls that each rule stopped or would have stopped, where that has changed. */
  readonly rules?: readonly ({ readonly rule: string } & Pair<number>)[] | undefined;
  /** The reason for which the run ended before the recorded one. */
  readonly stopped?: string | undefined;
  readonly error?: ErrorInfo | undefined;
  /** The tools that really ran. */
  readonly ran: readonly string[];
  readonly notes: readonly string[];
};

/** Runs that part from their recording at the same edge. */
export type ExperimentCluster = {
  /** The state from which and to which the step led that parts, and where it leads now: `from → to, now other`. */
  readonly edges: string;
  readonly kind: Divergence["kind"];
  readonly tool?: string | undefined;
  readonly sessions: readonly string[];
  /** Its share of the runs. */
  readonly share: Rate;
};

/** The report of an experiment, as plain JSON. */
export type ExperimentReport = {
  readonly rows: readonly ExperimentRow[];
  readonly counts: { readonly [State in ExperimentRow["state"]]: number };
  /** The runs in which each part is another one. */
  readonly changed: { readonly [Aspect in ExperimentAspect]: number };
  /** The share of runs that are different; undefined if none ran. */
  readonly different: Rate | undefined;
  /** The share by session, for `times` above 1. */
  readonly bySession: readonly { readonly sessionId: string; readonly different: Rate }[];
  /** The largest first. */
  readonly clusters: readonly ExperimentCluster[];
  /** The sums over the runs that are the same or different; undefined if a count is not known. */
  readonly tokens: Pair<number | undefined>;
  readonly cost: Pair<number | undefined>;
  /** The differences between the agent and those of the sessions, each once. */
  readonly agent: readonly (AgentDifference & { readonly sessions: number })[];
};

/** A session in flight, as another release finds it. It is plain JSON. */
export type RunningRow = {
  readonly sessionId: string;
  readonly phase: string;
  /** `same`: it goes on as it is. `changed`: with another agent, but nothing that waits is lost. `asks-again`: an approval is asked for again.
   *  `lost`: a call that waits is gone or has a tool that is gone. `cannot-open`: the release refuses it. */
  readonly state: "same" | "changed" | "asks-again" | "lost" | "cannot-open" | "moved";
  readonly agent?: AgentChange | undefined;
  /** The calls that are concerned, as "tool (id)". */
  readonly calls: readonly string[];
  readonly error?: ErrorInfo | undefined;
};

/** The report of {@link tryRelease}, as plain JSON. */
export type RunningReport = {
  readonly rows: readonly RunningRow[];
  readonly counts: { readonly [State in RunningRow["state"]]: number };
};

/** Options of {@link tryRelease}. */
export type TryReleaseOptions = Pick<ExperimentOptions, "agent" | "limit" | "runLimitMs" | "signal"> & {
  /** A filter of the sessions; default: all that are running, suspended or unfinished. Replays are left out. */
  readonly sessions?: SessionFilter | undefined;
  readonly onProgress?: ((progress: { readonly done: number; readonly row: RunningRow }) => void) | undefined;
};

/** The schema of a filter of sessions. An unknown field is refused: it would match all of them. */
export const filterSchema = s.lazily(() =>
  s.options<SessionFilter>({
    prefix: s.optional(s.string()),
    phase: s.optional(s.oneOf(...SESSION_PHASES)),
    meta: s.optional(s.object()),
    wakeBefore: s.optional(s.number()),
    cursor: s.optional(s.string()),
    limit: s.optional(s.integer(1)),
  }),
);

/** True for the metadata of a session that `replayOf` or an experiment has written. */
export const isReplay = (meta: JsonObject = {}): boolean => Object.hasOwn(meta, "replayOf");

/** The sessions that an experiment is about. */
export async function* sessionsOf(
  store: SessionStore,
  sessions: ExperimentOptions["sessions"] = {},
  limit = Infinity,
): AsyncGenerator<string> {
  let left = limit;
  if (Array.isArray(sessions)) {
    for (const id of sessions as readonly string[]) if (left-- > 0) yield id;
    return;
  }
  const asksForReplays = isReplay((sessions as SessionFilter).meta);
  const filter = sessions as SessionFilter;
  for await (const page of pagesOf((from) => store.list({ ...filter, ...from }))) {
    for (const { sessionId, meta } of page.sessions)
      if ((asksForReplays || !isReplay(meta)) && left-- > 0) yield sessionId;
    if (left <= 0) return;
  }
}
