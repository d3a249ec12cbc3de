// src/testing/evals runs an agent on cases, judges each run by what is stored of it, and compares two configurations.
import type { AnyAgentConfig } from "../../agent/options/agent-config.ts";
import type { ErrorInfo } from "../../core/base/error.ts";
import type { Json, JsonObject } from "../../core/base/json.ts";
import type { Msg, Usage } from "../../core/message/types.ts";
import type { Decision, PendingCall } from "../../core/tool/pending.ts";
import type { Schema } from "../../core/tool/types.ts";
import type { RunFacts } from "../../inspect/suspicions/facts.ts";
import type { Suspicion } from "../../inspect/suspicions/suspicion.ts";
import type { SessionStore } from "../../store/port.ts";

/** A case of an evaluation: the inputs of a session, and the answer that is expected. */
export type EvalCase = {
  /** Unique among the cases. */
  readonly name: string;
  /** The text of each turn, in order; one turn may be given as a text. Without it, `user` says the inputs. */
  readonly input?: string | readonly string[] | undefined;
  /** The answer that judges compare with. */
  readonly expected?: Json | undefined;
  /** Anything that the agent's configuration or a judge reads. */
  readonly meta?: JsonObject | undefined;
};

/** The state of a run after a step of the chart. */
export type EvalStep = {
  /** The number of the step, as the inspector shows it. */
  readonly step: number;
  /** The states that are active, outermost first, such as "suspended" and "suspended.waiting". */
  readonly states: readonly string[];
  /** The ids of the edges taken. */
  readonly edges: readonly string[];
  /** The position of the journal after it. */
  readonly seq: number;
  /** The position before it, at which a fork makes the step again; 0 at the start of the session. Steps that were stored together have the
   *  same one. */
  readonly before: number;
};

/** A run of a case, as it is stored: the same while it is made and when it is judged again from its session. */
export type EvalRun = {
  readonly case: EvalCase;
  /** From 1. */
  readonly repeat: number;
  /** The session, which the inspector opens. */
  readonly sessionId: string;
  /** The text of the last reply; empty if there is none. */
  readonly text: string;
  /** The structured answer of the last reply. */
  readonly output: unknown;
  /** The reason for which the last turn ended or waits. */
  readonly reason?: string | undefined;
  /** The error with which a turn failed. */
  readonly error?: ErrorInfo | undefined;
  readonly messages: readonly Msg[];
  /** Calls, requests, messages, rests and failures, as suspicions read them. */
  readonly facts: RunFacts;
  readonly steps: readonly EvalStep[];
  readonly suspicions: readonly Suspicion[];
  /** The sum over the turns. A count or cost that is not known of one turn is not known. */
  readonly usage: Usage;
  readonly modelCalls: number;
  readonly toolCalls: number;
  /** The time of the turns, ms. */
  readonly durationMs: number;
};

/** The answer of a judge. */
export type Verdict = {
  readonly pass: boolean;
  /** The reason, in one sentence. */
  readonly reason: string;
  /** The usage of a model that judged. */
  readonly usage?: Usage | undefined;
};

/** The place where a judge may store what it asks a model. */
export type JudgeScope = { readonly store: SessionStore; readonly sessionId: string };

/** A judge of runs. One that throws makes the run an error, not a failure. */
export type Judge = {
  readonly name: string;
  judge(run: EvalRun, scope: JudgeScope): Verdict | boolean | Promise<Verdict | boolean>;
};

/** Progress of an evaluation, told after each run. */
export type EvalProgress = { readonly done: number; readonly of: number; readonly result: EvalResult };

/** An agent's configuration without its session, which the evaluation gives it. */
export type EvalAgentConfig = Omit<AnyAgentConfig, "store" | "sessionId" | "context"> & {
  readonly context?: unknown;
};

/** Options of {@link evaluate}. */
export type EvaluateOptions = {
  /** Makes the configuration of the agent of a case; called for each run. */
  readonly agent: (of: EvalCase) => EvalAgentConfig | Promise<EvalAgentConfig>;
  readonly cases: readonly EvalCase[];
  /** A run passes if all judges pass it; at least one. */
  readonly judge: Judge | readonly Judge[];
  /** The number of runs of each case, 1 to 1,000; default 1. */
  readonly repeat?: number | undefined;
  /** The number of runs at once, 1 to 100; default 4. */
  readonly concurrency?: number | undefined;
  /** No run begins once the runs have used so much; those that are left are skipped, and the report says so. */
  readonly budget?: { readonly cost?: number | undefined; readonly tokens?: number | undefined } | undefined;
  /** The store of the sessions. With one, a second evaluation of the same name goes on where the first was cut off: a turn that is stored is not
   *  run again. Default: the memory of the process. */
  readonly store?: SessionStore | undefined;
  /** The schema of the structured answer of each turn, as the option of `call`. Default: none is asked for. */
  readonly output?: Schema | undefined;
  /** Decides about a call that waits; undefined leaves the turn suspended. */
  readonly decide?:
    | ((call: PendingCall, of: EvalCase) => Decision | undefined | Promise<Decision | undefined>)
    | undefined;
  /** Says the next input of a simulated user after the inputs of the case; undefined ends the session. */
  readonly user?:
    | ((messages: readonly Msg[], of: EvalCase) => string | undefined | Promise<string | undefined>)
    | undefined;
  /** The maximum number of turns of a session with a `user`, 1 to 1,000; default 10. */
  readonly maxTurns?: number | undefined;
  /** The longest time of a run with its judges, ms; default 1,800,000. One that takes longer is an error, and is interrupted. */
  readonly runLimitMs?: number | undefined;
  /** An aborted signal stops the runs where they are; then `evaluate` rejects with `run/aborted`. With a `store` the next call goes on. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each run. */
  readonly onProgress?: ((progress: EvalProgress) => void) | undefined;
};

/** The result of one run. It is plain JSON. */
export type EvalResult = {
  readonly case: string;
  /** From 1. */
  readonly repeat: number;
  readonly sessionId: string;
  /** `error`: the run or a judge failed. `skipped`: the budget was used up. */
  readonly state: "passed" | "failed" | "error" | "skipped";
  readonly verdicts: readonly (Verdict & { readonly judge: string })[];
  /** The error of the run or of a judge. */
  readonly error?: ErrorInfo | undefined;
  readonly text?: string | undefined;
  readonly durationMs?: number | undefined;
  /** The tokens of the run and of the models that judged it; unknown if a count is. */
  readonly tokens?: number | undefined;
  readonly cost?: number | undefined;
};

/** The share of runs that passed, with its Wilson interval at 95 %. */
export type Rate = { readonly rate: number; readonly low: number; readonly high: number };

/** The report of an evaluation. It is plain JSON, without the runs' texts of prompts. */
export type EvalReport = {
  readonly name: string;
  readonly repeat: number;
  readonly results: readonly EvalResult[];
  readonly counts: { readonly [State in EvalResult["state"]]: number };
  /** Of the runs that passed or failed; undefined if there are none. */
  readonly passed: Rate | undefined;
  /** By k from 1 to `repeat`: the mean chance that one of k runs of a case passes, and that all of them do. Cases with an error or a skipped
   *  run do not count. */
  readonly passAny: readonly number[];
  readonly passAll: readonly number[];
  readonly tokens: number | undefined;
  readonly cost: number | undefined;
  /** The ids of the chart's edges that a run has taken. */
  readonly edges: readonly string[];
};
