// src/testing/replay runs stored sessions again, with what is recorded in the place of models and tools, and tells what differs.
import { randomUUID } from "node:crypto";
import { createAgent } from "../../agent/create-agent.ts";
import type { AgentConfig, AnyAgentConfig } from "../../agent/options/agent-config.ts";
import { findModel } from "../../agent/options/config.ts";
import type { Agent, Input, Reply } from "../../agent/types.ts";
import { AgentError, configError, agentErrorOf, type ErrorInfo } from "../../core/base/error.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import { GOES_ON, type Reason, type Usage } from "../../core/message/types.ts";
import { addUsage } from "../../core/message/msg.ts";
import type { Schema } from "../../core/tool/types.ts";
import type { PendingCall } from "../../core/tool/pending.ts";
import type { ForkChanges } from "../../../machines/agent/prompt/edits.ts";
import { replacedTools } from "../../agent/replaced-tools.ts";
import { forkPointSchema } from "../../session/fork.ts";
import { openSession } from "../../session/open-session.ts";
import { memoryStore } from "../../store/memory.ts";
import type { SessionStore } from "../../store/port.ts";
import { storeSchema } from "../../store/store-schema.ts";
import { exportSession, importSession } from "../../store/transfer.ts";
import { agentDifferences } from "./agent-changes.ts";
import { divergenceOf } from "./divergence.ts";
import { Playback } from "./playback.ts";
import { recordedSession, type RecordedSession, type RecordedTurn } from "./recorded-session.ts";
import type { Replay, ReplayAgentConfig, ReplayOptions } from "./types.ts";

const replaySchema = s.lazily(() =>
  s.options<ReplayOptions>({
    agent: s.either(s.object(), s.func(), "the configuration of the agent, or a function that makes it"),
    tools: s.optional(s.oneOf("recorded", "compare", "live")),
    model: s.optional(s.oneOf("recorded", "live")),
    onDivergence: s.optional(s.oneOf("stop", "live", "ask")),
    live: s.optional(s.listOf(s.nonEmpty())),
    ask: s.optional(s.func()),
    decide: s.optional(s.func()),
    at: s.optional(forkPointSchema()),
    changes: s.optional(s.object<ForkChanges>()),
    into: s.optional(storeSchema()),
    sessionId: s.optional(s.nonEmpty()),
    signal: s.optional(s.having("addEventListener", "an AbortSignal")),
  }),
);

/** The input of a call that goes on with a turn. */
const NOTHING = undefined;

const invalid = (problem: string): AgentError => configError(`replayOf: ${problem}.`);

function checkOptions(options: ReplayOptions): void {
  check(replaySchema(), options, "replayOf");
  const { onDivergence, ask, changes = {}, at } = options;
  if (onDivergence === "ask" && !ask) throw invalid('`onDivergence: "ask"` needs `ask`');
  const later = Object.keys(changes).filter((name) => ["messages", "results", "arguments"].includes(name));
  if (at === undefined && later.length > 0)
    throw invalid(`\`${later.join("`, `")}\` can be changed only \`at\` a position at which they are there`);
}

/** The agent of a replay, which has its whole store. */
type Prepared = {
  readonly agent: Agent;
  readonly playback: Playback;
  readonly store: SessionStore;
  readonly notes: string[];
  /** The shape of the answers that the agent is configured to give. */
  readonly output: Schema | undefined;
};

/**
 * Runs a stored session again, and tells where and how the new run differs: a message, a call, its arguments, its result, or a rest of a turn. Inputs
 * and decisions are those of the session. Answers and results are the recorded ones unless `model` and `tools` say otherwise: by default nothing
 * is asked, nothing runs and nothing is paid. The replay is a session of its own; the recorded one is only read.
 *
 * A changed prompt, tool, schema, option or model is told in `agent`, whether or not it changes the run: recorded answers do not depend on it.
 * Hooks run, so an agent whose hooks act needs others for a replay.
 *
 * Rejects `config/invalid` for wrong options, `session/not-found`, `session/damaged`, `session/bad-change`, and `run/aborted`.
 *
 * @example
 * ```ts
 * import type { SessionStore } from "agentchart";
 * import { replayOf, type ReplayAgentConfig } from "agentchart/evals";
 *
 * export async function regression(store: SessionStore, agent: ReplayAgentConfig): Promise<void> {
 *   const { isSame, agent: changed, divergences } = await replayOf(store, "refund-17", { agent, tools: "compare" });
 *   if (!isSame) console.log(changed, divergences);
 * }
 * ```
 */
export async function replayOf(
  store: SessionStore,
  sessionId: string,
  options: ReplayOptions,
): Promise<Replay> {
  check(storeSchema(), store, "replayOf", "`store`");
  checkOptions(options);
  if (options.signal?.aborted) throw new AgentError("run/aborted", "The replay was aborted.");
  return (await replayRecorded(store, await recordedSession(store, sessionId), options)).replay;
}

/** As {@link replayOf}, of a session that was read, and with the new one as it is read. */
export async function replayRecorded(
  store: SessionStore,
  recorded: RecordedSession,
  options: ReplayOptions,
): Promise<Compared> {
  checkOptions(options);
  const { signal } = options;
  if (signal?.aborted) throw new AgentError("run/aborted", "The replay was aborted.");
  const prepared = await prepare(store, recorded, options);
  const { agent, playback } = prepared;
  const stop = (): void => playback.stop("it was aborted");
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop(); // while the agent was made
  try {
    const from = (await agent.messages()).length;
    const driven = await drive(prepared, recorded, from);
    if (signal?.aborted) throw new AgentError("run/aborted", "The replay was aborted.");
    const messages = await agent.messages();
    await agent.close();
    return await compared(recorded, { ...prepared, messages, from, driven });
  } finally {
    signal?.removeEventListener("abort", stop);
    await agent.close();
  }
}

async function prepare(
  from: SessionStore,
  recorded: RecordedSession,
  options: ReplayOptions,
): Promise<Prepared> {
  const { sessionId: id = randomUUID(), into: store = memoryStore(), at, changes } = options;
  const { sessionId, meta } = recorded;
  const given =
    typeof options.agent === "function" ? await options.agent({ sessionId, meta }) : options.agent;
  if (typeof given !== "object" || given === null)
    throw invalid(`\`agent\` returned no configuration for the session '${sessionId}'`);
  const notes: string[] = [];
  let base: readonly (typeof recorded.messages)[number][] = [];
  let summaries = 0;
  if (at !== undefined) {
    const copies = memoryStore();
    await importSession(copies, exportSession(from, sessionId, { secrets: true }));
    const session = await openSession(copies, sessionId);
    await session.fork(at, { sessionId: id, ...(changes && { changes }) });
    await importSession(store, exportSession(copies, id, { secrets: true }));
    const fork = await recordedSession(copies, id);
    base = fork.messages;
    summaries = fork.summaries.length;
  }
  const playback = new Playback(recorded, options, base, summaries);
  const { output, ...own } = given;
  const config = substituted(changedConfig(own, at === undefined ? changes : undefined), playback, notes);
  const { sessionOptions, meta: labels, ...rest } = config as unknown as AgentConfig;
  const { snapshot: _, ...session } = sessionOptions ?? {};
  const agent = createAgent({
    ...rest,
    store,
    sessionId: id,
    meta: { ...labels, replayOf: sessionId },
    sessionOptions: { ...session, onChangedAgent: "adopt" },
  } as AgentConfig);
  playback.agent = agent;
  await agent.open();
  return { agent, playback, store, notes, output };
}

/** The configuration with changes from the start on. */
function changedConfig(config: ReplayAgentConfig, changes: ForkChanges = {}): ReplayAgentConfig {
  const { system, tools, model, options } = changes;
  const given = config as unknown as AnyAgentConfig;
  const generate = Object.entries({ ...config.generateOptions, ...options }).filter(
    ([, value]) => value !== null,
  );
  return {
    ...config,
    ...(system !== undefined && { sysPrompt: system }),
    ...(model !== undefined && { model: findModel(given, model) }),
    ...(options && { generateOptions: Object.fromEntries(generate) }),
    ...(tools && config.tools && { tools: config.tools.filter(({ name }) => tools.includes(name)) }),
  };
}

/** The configuration whose models and tools are those of the playback. A tool without the source from which it came is never replaced by what
 *  really acts. */
function substituted(config: ReplayAgentConfig, playback: Playback, notes: string[]): ReplayAgentConfig {
  const { model, hooks = [], modelOptions, compaction } = config;
  const replaced = replacedTools(config, (tool) => playback.tool(tool));
  const acting = hooks.flatMap((hook) =>
    Object.keys(hook).some((point) => !["name", "priority", "tools", "writes"].includes(point))
      ? [hook.name]
      : [],
  );
  if (acting.length > 0) notes.push(`The hooks run: ${acting.join(", ")}.`);
  return {
    ...config,
    inspect: undefined,
    otel: undefined,
    model: playback.model(model),
    ...replaced,
    ...(replaced.personas && {
      personas: Object.fromEntries(
        Object.entries(replaced.personas).map(([name, persona]) => [
          name,
          persona.model ? { ...persona, model: playback.model(persona.model) } : persona,
        ]),
      ),
    }),
    ...(modelOptions?.fallbackModel && {
      modelOptions: { ...modelOptions, fallbackModel: playback.model(modelOptions.fallbackModel) },
    }),
    ...(compaction &&
      compaction.model && { compaction: { ...compaction, model: playback.model(compaction.model) } }),
  };
}

/** The outcome of the turns. */
type Driven = {
  readonly rests: ReadonlyMap<number, readonly Reason[]>;
  readonly usage: Usage;
  /** The number of messages of the recording with which the replay is compared. */
  readonly until: number;
  readonly last: Reply | undefined;
  readonly error: ErrorInfo | undefined;
};

/** Says what the user said, and decides as was decided, turn by turn. */
async function drive(prepared: Prepared, recorded: RecordedSession, from: number): Promise<Driven> {
  const { agent, playback, notes } = prepared;
  const rests = new Map<number, Reason[]>();
  let usage: Usage = {};
  let last: Reply | undefined;
  let error: ErrorInfo | undefined;
  let count = from;
  const unsubscribe = agent.subscribe((event) => {
    if (event.type === "message") {
      const next = recorded.messages[++count];
      if (next && recorded.steered.has(count)) agent.steer(next);
    } else if (event.type === "turn.end")
      rests.set(event.turn, [...(rests.get(event.turn) ?? []), event.reason]);
  });
  let until = recorded.messages.length;
  try {
    for (const [place, turn] of recorded.turns.entries()) {
      const isOpen = turn.from < from;
      const end = startOf(recorded.turns[place + 1] ?? recorded, recorded);
      if (isOpen && (end < from || (end === from && agent.status().phase === "stopped"))) continue;
      if (playback.stopped !== undefined) break;
      if (turn.rests.includes("INTERRUPTED")) {
        until = startOf(turn, recorded);
        notes.push(`Turn ${turn.turn} was interrupted, which cannot be repeated at the same instant.`);
        break;
      }
      const { phase } = agent.status();
      if (!isOpen && phase !== "stopped") break; // it waits, and in the recording it did not
      if (!isOpen && recorded.compacted.get(place) === playback.nextSummary) await agent.compact();
      await observe(agent, turn.observed, from);
      last = await runTurn(prepared, turn, isOpen ? undefined : turn.input);
      usage = addUsage(usage, last.turn.usage);
    }
    if (until === recorded.messages.length && playback.stopped === undefined)
      await observe(agent, recorded.observed, from);
  } catch (thrown) {
    error = agentErrorOf(thrown, "run/invalid-event").toJSON();
    if (error.code === "config/invalid") throw thrown;
  } finally {
    unsubscribe();
  }
  return { rests, usage, until, last, error };
}

/** The number of messages before a turn and what was observed before it, or before what was observed after the last turn. */
function startOf(
  { observed, from }: { readonly observed: RecordedTurn["observed"]; readonly from?: number },
  { messages }: RecordedSession,
): number {
  return observed[0]?.at ?? from ?? messages.length;
}

/** Gives the agent the messages that were observed; it has those before `from`. */
async function observe(agent: Agent, observed: RecordedTurn["observed"], from: number): Promise<void> {
  const left = observed.flatMap(({ at, message }) => (at >= from ? [message] : []));
  if (left.length > 0) await agent.observe(left);
}

async function runTurn(
  { agent, playback, output: own }: Prepared,
  { rests, extended, clientTools, ...turn }: RecordedTurn,
  input: Input,
): Promise<Reply> {
  await decideAll(agent, playback, agent.status().pending); // of a fork that waits
  const output = own ?? turn.output;
  const options = { ...(output && { output }), ...(clientTools.length > 0 && { clientTools }) };
  const call = async (said: Input): Promise<Reply> => (await agent.call(said, options)) as Reply;
  let reply: Reply = await call(input);
  let extensions = 0;
  for (let rested = 1; playback.stopped === undefined; rested++) {
    const left = await decideAll(agent, playback, reply.pending);
    if (left > 0 || !GOES_ON.has(reply.reason)) return reply;
    if (reply.reason === "BUDGET_EXCEEDED") {
      const more = extended[extensions++];
      if (!more) return reply;
      await agent.extendBudget(more);
    } else if (reply.pending.length === 0 && rested >= rests.length) return reply;
    reply = await call(NOTHING);
  }
  return reply;
}

/** Decides about calls as was decided. Returns how many still wait. */
async function decideAll(agent: Agent, playback: Playback, calls: readonly PendingCall[]): Promise<number> {
  let left = 0;
  for (const call of calls) {
    if (call.decided !== undefined) continue;
    const decision = await playback.decisionOf(call);
    if (decision === undefined) left++;
    else await agent.decide(call.callId, decision);
  }
  return left;
}

type Ran = Prepared & {
  readonly messages: RecordedSession["messages"];
  readonly from: number;
  readonly driven: Driven;
};

/** A replay, the new session as it is read, and whether each step of the recording was repeated. */
type Compared = { readonly replay: Replay; readonly made: RecordedSession; readonly isExact: boolean };

async function compared(recorded: RecordedSession, ran: Ran): Promise<Compared> {
  const { agent, playback, store, notes, messages, from, driven } = ran;
  const { until, rests, last, error, usage } = driven;
  const made = await recordedSession(store, agent.sessionId);
  const asked = recorded.requests.filter(({ length }) => length < from).length;
  const turns = recorded.turns.filter((turn) => turn.from < until);
  const end = recorded.messages.length > until ? until : Math.max(until, messages.length);
  const { isOver } = playback;
  const stopped = isOver ? undefined : playback.stopped;
  if (isOver) notes.push("The recording ends in the middle of a turn.");
  const first = divergenceOf(
    {
      messages: recorded.messages.slice(0, until),
      turns: playback.stopped === undefined ? turns : [],
      atOnce: new Set([...playback.atOnce, ...recorded.asking]),
    },
    { messages: messages.slice(0, isOver ? until : end), rests, from },
  );
  const divergences = [...playback.differing, ...(first ? [first] : [])].toSorted(
    (a, b) => a.message - b.message,
  );
  if (recorded.requests.length === 0)
    notes.push("The session does not say what its agent consisted of: a changed prompt or tool is not seen.");
  if (recorded.asking.size > 0)
    notes.push(`Questions are not asked again: ${[...recorded.asking].join(", ")}.`);
  const differences = agentDifferences(recorded, made, asked);
  const replay: Replay = {
    recordedId: recorded.sessionId,
    sessionId: agent.sessionId,
    store,
    isSame: divergences.length + differences.length === 0 && stopped === undefined,
    divergences,
    agent: differences,
    ...(stopped !== undefined && { stopped }),
    notes,
    ran: playback.ran,
    asked: playback.asked,
    ...(last && { reason: last.reason }),
    ...(error && playback.stopped === undefined && { error }),
    text: last?.text ?? "",
    usage,
  };
  const isExact =
    recorded.isExact && !isOver && until === recorded.messages.length && playback.atOnce.size === 0;
  return { replay, made, isExact };
}
