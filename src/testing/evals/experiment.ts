import { type AgentError, configError, errorInfo } from "../../core/base/error.ts";
import { isSame } from "../../core/base/json.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import { addUsage } from "../../core/message/msg.ts";
import { isRule, type Rule } from "../../core/tool/rules/rule.ts";
import type { Msg, Usage } from "../../core/message/types.ts";
import type { ForkChanges } from "../../../machines/agent/prompt/edits.ts";
import { memoryStore } from "../../store/memory.ts";
import type { SessionStore } from "../../store/port.ts";
import { storeSchema } from "../../store/store-schema.ts";
import type { AgentDifference } from "../replay/agent-changes.ts";
import { recordedSession, type RecordedSession } from "../replay/recorded-session.ts";
import { replayRecorded } from "../replay/replay-of.ts";
import type { Replay } from "../replay/types.ts";
import { experimentReport } from "./experiment-report.ts";
import {
  filterSchema,
  sessionsOf,
  type ExperimentAspect,
  type ExperimentOptions,
  type ExperimentReport,
  type ExperimentRow,
} from "./experiment-types.ts";
import { tokensOf } from "./judges.ts";
import { runOfJournal } from "./read-run.ts";
import { conditionSchema, firstStep, positionBefore, stepOf, type RunCondition } from "./run-condition.ts";
import { boundsSchemas, runAll } from "./run-limit.ts";
import type { EvalRun } from "./types.ts";

const experimentSchema = s.lazily(() =>
  s.options<ExperimentOptions>({
    agent: s.either(s.object(), s.func(), "the configuration of the agent, or a function that makes it"),
    sessions: s.optional(
      s.either(
        s.listOf(s.nonEmpty()),
        filterSchema(),
        "the ids of sessions, or a filter as `store.list` takes it",
      ),
    ),
    at: s.anything(),
    changes: s.optional(s.object<ForkChanges>()),
    times: s.optional(s.integer(1, 100)),
    model: s.optional(s.oneOf("recorded", "live")),
    tools: s.optional(s.oneOf("recorded", "live")),
    onDivergence: s.optional(s.oneOf("stop", "live", "ask")),
    live: s.optional(s.listOf(s.nonEmpty())),
    ask: s.optional(s.func()),
    decide: s.optional(s.func()),
    rules: s.optional(s.listOf(s.value<Rule>(isRule, "a rule, as functions of agentchart/rules make it"))),
    into: s.optional(storeSchema()),
    limit: s.optional(s.integer(1)),
    ...boundsSchemas(),
    onProgress: s.optional(s.func()),
  }),
);

const placeSchema = s.lazily(() =>
  s.anyOf<NonNullable<ExperimentOptions["at"]>>(
    [s.exactly("start"), s.integer(1), conditionSchema()],
    '"start", the number of a step, or a condition such as { asked: "refund" }',
  ),
);

const invalid = (problem: string): AgentError => configError(`experiment: ${problem}.`);

function checkOptions(options: ExperimentOptions): void {
  check(experimentSchema(), options, "experiment");
  const { sessions, at, tools, live = [], onDivergence, ask, model, changes = {} } = options;
  const ids = Array.isArray(sessions) ? (sessions as readonly string[]) : [];
  const twice = ids.find((id, place) => ids.indexOf(id) !== place);
  if (twice !== undefined) throw invalid(`\`sessions\` has '${twice}' twice`);
  if (at !== undefined) check(placeSchema(), at, "experiment: at");
  const needsNames = tools === "live" ? '`tools: "live"`' : '`onDivergence: "live"`';
  if ((tools === "live" || onDivergence === "live") && live.length === 0)
    throw invalid(`${needsNames} needs the names of the tools that may really run, as \`live\``);
  const unheard = (["system", "model", "options"] as const).find((name) => changes[name] !== undefined);
  if (unheard !== undefined && model === undefined)
    throw invalid(
      `only a model notices another \`${unheard}\`: expected \`model: "live"\`, which asks it and costs what it costs, or \`model: "recorded"\``,
    );
  if (onDivergence === "ask" && !ask) throw invalid('`onDivergence: "ask"` needs `ask`');
}

/** A stored session as it was before the experiment. */
type Original = Pick<EvalRun, "facts" | "steps" | "suspicions"> & {
  readonly recorded: RecordedSession;
  readonly messages: readonly Msg[];
};

/** A row with what the report reads and does not contain. */
export type RanRow = { readonly row: ExperimentRow; readonly agent: readonly AgentDifference[] };

/**
 * Runs stored sessions again with something changed, and reports what that changes. These are outcomes, calls, edges of the chart, answers, costs and what
 * rules say. Each run is a replay of its own (`replayOf`): the sessions are only read, and nothing that acts runs unless its tool is named
 * in `live`. No model is asked and nothing is paid, unless `model` is `live`; `budget` bounds what that costs.
 *
 * A session that cannot be run, that changes meanwhile, or whose run takes longer than `runLimitMs` is a row of its own; the others go on. Rejects `config/invalid` for wrong options,
 * before anything runs, and `run/aborted`.
 *
 * @example
 * ```ts
 * import type { SessionStore } from "agentchart";
 * import { experiment, type ReplayAgentConfig } from "agentchart/evals";
 *
 * export async function tryPrompt(store: SessionStore, agent: ReplayAgentConfig): Promise<void> {
 *   const { counts, clusters } = await experiment(store, {
 *     sessions: { prefix: "desk/" },
 *     at: { asked: "refund" },
 *     agent,
 *     changes: { system: "Refund only orders of this year." },
 *     model: "live",
 *   });
 *   console.log(counts.different, clusters);
 * }
 * ```
 */
export async function experiment(store: SessionStore, options: ExperimentOptions): Promise<ExperimentReport> {
  check(storeSchema(), store, "experiment", "`store`");
  checkOptions(options);
  const { times = 1, into = memoryStore(), onProgress, limit } = options;
  const ids: string[] = [];
  for await (const id of sessionsOf(store, options.sessions, limit)) ids.push(id);
  const plans = ids.flatMap((sessionId) =>
    Array.from({ length: times }, (_, index) => ({ sessionId, repeat: index + 1 })),
  );
  const runs = new ExperimentRuns(store, into, options);
  const made = await runAll("The experiment", plans, options, {
    run: ({ sessionId, repeat }, signal) => runs.run(sessionId, repeat, signal),
    without: ({ sessionId, repeat }, error) =>
      error ? failed(sessionId, repeat, error) : { row: rowOf(sessionId, repeat, "skipped"), agent: [] },
    spentOf: ({ row: { tokens, cost } }) => ({ tokens: tokens?.after, cost: cost?.after }),
    onDone: ({ row }, progress) => onProgress?.({ ...progress, row }),
  });
  return experimentReport(made, times);
}

const rowOf = (sessionId: string, repeat: number, state: ExperimentRow["state"]): ExperimentRow => ({
  sessionId,
  repeat,
  state,
  changed: [],
  ran: [],
  notes: [],
});

const failed = (sessionId: string, repeat: number, thrown: unknown): RanRow => ({
  row: { ...rowOf(sessionId, repeat, "error"), error: errorInfo(thrown, "run/invalid-event") },
  agent: [],
});

class ExperimentRuns {
  readonly #store: SessionStore;
  readonly #into: SessionStore;
  readonly #options: ExperimentOptions;

  constructor(store: SessionStore, into: SessionStore, options: ExperimentOptions) {
    this.#store = store;
    this.#into = into;
    this.#options = options;
  }

  /** Runs a session once. Rejects `run/aborted` and `config/invalid`; any other failure is the row. */
  async run(sessionId: string, repeat: number, signal: AbortSignal): Promise<RanRow> {
    try {
      const original = await this.#original(sessionId);
      const at = this.#positionIn(original);
      if (at === "unmet") return { row: rowOf(sessionId, repeat, "unmet"), agent: [] };
      const { agent, changes, onDivergence, live = [], ask, decide, tools, model } = this.#options;
      const replayed = await replayRecorded(this.#store, original.recorded, {
        agent,
        model,
        tools,
        live,
        onDivergence,
        ask,
        decide,
        signal,
        changes: at === undefined && changes ? startChanges(changes) : changes,
        at,
        into: this.#into,
      });
      const isMoved = (await this.#store.load(sessionId))?.seq !== original.recorded.seq;
      if (isMoved) return { row: rowOf(sessionId, repeat, "moved"), agent: [] };
      return { row: await this.#compared(original, replayed, { repeat, at }), agent: replayed.replay.agent };
    } catch (thrown) {
      const { code } = errorInfo(thrown, "run/invalid-event");
      if (code === "run/aborted" || code === "config/invalid") throw thrown;
      return failed(sessionId, repeat, thrown);
    }
  }

  async #original(sessionId: string): Promise<Original> {
    const { at } = this.#options;
    const suspicions = typeof at === "object" && "suspicion" in at;
    const recorded = await recordedSession(this.#store, sessionId);
    return { recorded, messages: recorded.messages, ...(await runOfJournal(recorded, { suspicions })) };
  }

  /** The position at which the run begins; undefined for the start. */
  #positionIn(original: Original): number | undefined | "unmet" {
    const { at = "start" } = this.#options;
    if (at === "start") return undefined;
    const step = typeof at === "number" ? stepOf(at, original) : firstStep(at as RunCondition, original);
    return step === undefined ? "unmet" : positionBefore(step, original);
  }

  async #compared(
    original: Original,
    { replay, made: session, isExact }: Awaited<ReturnType<typeof replayRecorded>>,
    { repeat, at }: { readonly repeat: number; readonly at: number | undefined },
  ): Promise<ExperimentRow> {
    const { sessionId, recordedId, divergences, stopped, ran, notes, error } = replay;
    const made = await runOfJournal(session, { suspicions: false });
    const { messages } = session;
    const [divergence] = divergences;
    const edges = divergence && partingEdges({ ...original }, { ...made, messages }, divergence.message);
    const [before, after] = [summaryOf(original), summaryOf({ ...made, messages })];
    const rules = await this.#rulesOf(original, replay, made);
    const path =
      at === undefined
        ? !before.path.some(isHosts) && !isSame(before.path, after.path)
        : edges && (edges.before.edge !== edges.after.edge || edges.before.to !== edges.after.to);
    // What was not repeated is not a change: messages and rests are the same as far as they were.
    const isTold = isExact || divergence !== undefined || stopped !== undefined;
    const aspects: readonly (readonly [ExperimentAspect, boolean | undefined])[] = [
      ["outcome", isTold && before.outcome !== after.outcome],
      ["calls", isTold && !isSame(before.calls, after.calls)],
      ["edges", isTold && path],
      ["text", isTold && before.text !== after.text],
      ["rules", rules.length > 0],
    ];
    const changed = aspects.flatMap(([name, is]) => (is ? [name] : []));
    const isDifferent = changed.length > 0 || divergence !== undefined || stopped !== undefined;
    return {
      sessionId: recordedId,
      repeat,
      state: isDifferent ? "different" : "same",
      replayId: sessionId,
      changed,
      ...(divergence && { divergence }),
      ...(edges && { edges }),
      outcome: { before: before.outcome, after: after.outcome },
      tokens: { before: tokensOf(before.usage), after: tokensOf(after.usage) },
      cost: { before: before.usage.cost, after: after.usage.cost },
      ...(rules.length > 0 && { rules }),
      ...(stopped !== undefined && { stopped }),
      ...(error && { error }),
      ran,
      notes,
    };
  }

  /** The rules that stop another number of calls than before. */
  async #rulesOf(
    original: Original,
    { recordedId, sessionId }: Replay,
    made: Pick<EvalRun, "facts">,
  ): Promise<NonNullable<ExperimentRow["rules"]>> {
    const { rules } = this.#options;
    const [before, after] = rules
      ? await Promise.all([
          brokenRules(this.#store, recordedId, rules),
          brokenRules(this.#into, sessionId, rules),
        ])
      : [notedRules(original), notedRules(made)];
    return [...new Set([...before, ...after])].flatMap((rule) => {
      const count = (all: readonly string[]): number => all.filter((each) => each === rule).length;
      const pair = { before: count(before), after: count(after) };
      return pair.before === pair.after ? [] : [{ rule, ...pair }];
    });
  }
}

/** The changes that can be made at the start: the rest is there only later. */
const startChanges = ({ system, tools, model, options }: ForkChanges): ForkChanges => ({
  ...(system !== undefined && { system }),
  ...(tools && { tools }),
  ...(model !== undefined && { model }),
  ...(options && { options }),
});

async function brokenRules(
  store: SessionStore,
  sessionId: string,
  rules: NonNullable<ExperimentOptions["rules"]>,
): Promise<readonly string[]> {
  const { auditSession } = await import("../../kit/rules/audit.ts");
  const findings = await auditSession(store, sessionId, rules);
  return findings.flatMap(({ what, rule }) => (what === "broke" ? [rule] : []));
}

const notedRules = ({ facts }: Pick<EvalRun, "facts">): readonly string[] =>
  facts.calls.flatMap(({ account }) =>
    (account?.rules ?? []).flatMap(({ rule, did }) => (did === "ordered" ? [] : [rule])),
  );

type Summary = {
  readonly outcome: string;
  readonly text: string;
  readonly calls: readonly unknown[];
  readonly path: readonly string[];
  readonly usage: Usage;
};

/** Edges that only say that a process has opened the session. */
const isOpening = (edge: string): boolean => edge.includes("|session.") || edge.includes("|xstate.init");

/** Edges of a turn that its process left to another one: by which way it went on is not repeated. */
const isHosts = (edge: string): boolean =>
  edge.includes("|run.shutdown|") || edge.startsWith("agent.stopped.unfinished|");

function summaryOf({
  facts,
  steps,
  messages,
}: Pick<EvalRun, "facts" | "steps"> & { readonly messages: readonly Msg[] }): Summary {
  const rest = facts.rests.at(-1);
  const answers = messages.filter(({ role }) => role === "assistant");
  return {
    outcome: rest ? `${rest.reason}${rest.error === undefined ? "" : `: ${rest.error}`}` : "none",
    text: JSON.stringify(answers.at(-1)?.content.filter(({ type }) => type === "text") ?? []),
    calls: facts.calls.map(({ tool, input, state = "open" }) => ({ tool, input, state })),
    path: steps.flatMap(({ edges }) => edges.filter((edge) => !isOpening(edge))),
    usage: answers.reduce<Usage>((sum, { usage }, index) => {
      if (!usage) return sum;
      return index === 0 ? usage : addUsage(sum, usage);
    }, {}),
  };
}

type Told = Pick<EvalRun, "facts" | "steps"> & { readonly messages: readonly Msg[] };

/** The edges with which two runs part: those of the steps that stored the messages that differ, or of the last step of a run that has none. */
function partingEdges(
  original: Told,
  made: Told,
  message: number,
): NonNullable<ExperimentRow["edges"]> | undefined {
  const of = ({ facts, steps, messages }: Told) => {
    const id = messages[message]?.id;
    const step = facts.messages.find((each) => each.id === id)?.step;
    const found = step === undefined ? steps.at(-1) : steps.find((each) => each.step === step);
    const [edge] = found?.edges ?? [];
    return found && edge !== undefined
      ? { edge, step: found.step, to: found.states.at(-1) ?? "" }
      : undefined;
  };
  const [before, after] = [of(original), of(made)];
  return before && after && { before, after };
}
