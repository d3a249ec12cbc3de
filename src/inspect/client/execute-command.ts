import { AgentError } from "../../core/base/error.ts";
import { withoutSnapshot } from "../../agent/options/config-groups.ts";
import { createAgent } from "../../agent/create-agent.ts";
import { causedBy } from "../../agent/steps.ts";
import { checkChangesOf } from "../../agent/check-changes-of.ts";
import type { Agent, Input } from "../../agent/types.ts";
import type { AgentConfig, AnyAgentConfig } from "../../agent/options/agent-config.ts";
import { userMsg } from "../../core/message/msg.ts";
import { jsonOrText, type Json } from "../../core/base/json.ts";
import type { Msg } from "../../core/message/types.ts";
import type { Fork } from "../../session/fork.ts";
import { checkWritableByClients } from "../../core/tool/slot.ts";
import { BREAKPOINTS } from "../../core/tool/stored-slots.ts";
import { validateInput } from "../../core/tool/validate-input.ts";
import type { Decision } from "../../core/tool/pending.ts";
import { outcomeOfError, refused, type CommandOutcome } from "../protocol/command-outcome.ts";
import { isSettled } from "./available-commands.ts";
import { forkOutcome, planFork, writeForks } from "./fork-run.ts";
import type { RunCommand, RunCommandType, PendingItem } from "../protocol/commands.ts";
import type { RunRow } from "../protocol/protocol.ts";
import { RecordedResults, recordingOf, type Recording } from "../../agent/recorded-results.ts";
import { restoredValue, restoreHidden } from "./restore-hidden.ts";
import type { WorkerInfo } from "./reported-run.ts";
import type { WatchedRun } from "./watched-run.ts";

type CommandOf<Type extends RunCommandType> = Extract<RunCommand, { type: Type }>;

/** Executes a user's command on a run of this process. Never rejects: errors become an outcome. */
export async function executeCommand(
  command: RunCommand,
  run: WatchedRun,
  worker: WorkerInfo,
): Promise<CommandOutcome> {
  try {
    const execute = (): Promise<CommandOutcome> =>
      causedBy("inspector", () => checkAndExecute(command, run, worker));
    return await (SERIALIZED.has(command.type) ? run.serialize(execute) : execute());
  } catch (error) {
    return outcomeOfError(error);
  }
}

/**
 * Commands that may continue a run at rest. They run one after the other, so that the second one sees the
 * effect of the first.
 */
const SERIALIZED: ReadonlySet<RunCommandType> = new Set([
  "decide",
  "resume",
  "extendBudget",
  "send",
  "compact",
]);
/** Commands that are answered once per rest of the run. */
const ANSWERED_ONCE: ReadonlySet<RunCommandType> = new Set(["resume", "extendBudget"]);

async function checkAndExecute(
  command: RunCommand,
  run: WatchedRun,
  worker: WorkerInfo,
): Promise<CommandOutcome> {
  run.write(); // so that the report includes every step so far
  const { row } = run.report(worker);
  if (command.type === "decide") return decide(command, run);
  if (!row.can.includes(command.type) && !setsBreakpoints(command, run))
    return refusalOf(command.type, row.phase, run);
  const change = changeSince("expect" in command ? command.expect?.leaf : undefined, row);
  return change === undefined ? execute(command, run) : refused("stale", change);
}

/** True for the one slot that every agent has; the hub refuses commands of those who may only look. */
function setsBreakpoints(command: RunCommand, { isOpen }: WatchedRun): boolean {
  return isOpen && command.type === "setSlot" && command.name === BREAKPOINTS;
}

/** Describes how a run has changed since the revision that the user saw; undefined if it has not. */
function changeSince(
  seenRevision: string | undefined,
  { leaf: revision = "", phase, state, steps }: RunRow,
): string | undefined {
  if (seenRevision === undefined || seenRevision === revision) return undefined;
  const dot = seenRevision.lastIndexOf(".");
  const isSameProcess = revision.startsWith(seenRevision.slice(0, dot + 1));
  const passed = steps - Number(seenRevision.slice(dot + 1));
  const since = isSameProcess && passed > 0 ? `${passed} ${passed === 1 ? "step" : "steps"} later` : "now";
  return `The run has continued since you saw it: ${since} it is ${phase}, at ${state}.`;
}

function refusalOf(type: RunCommandType, phase: string, run: WatchedRun): CommandOutcome {
  const isFork = type === "fork" || type === "forkPlan";
  if (isFork) return refused("unavailable", "A fork needs a store; this run has none.");
  if (!run.isOpen)
    return refused("unavailable", "The agent was closed; its process no longer drives the run.");
  if (ANSWERED_ONCE.has(type) && run.offeredCommands.has(type))
    return refused("answered", `Another user was first: the run is now ${phase}.`);
  return refused("invalid", `A run that is ${phase} does not accept '${type}'.`);
}

async function execute(
  command: Exclude<RunCommand, { type: "decide" }>,
  run: WatchedRun,
): Promise<CommandOutcome> {
  const { agent } = run;
  switch (command.type) {
    case "interrupt":
      return inTurn(agent, agent.interrupt(command.text && userMessage(command.text)));
    case "steer":
      return inTurn(agent, agent.steer(userMessage(command.text)));
    case "send":
      await continueTurn(agent, userMessage(command.text));
      return succeeded(agent);
    case "shutdown":
      await agent.shutdown();
      return succeeded(agent);
    case "resume":
    case "extendBudget": {
      const opened = await openAgent(run);
      if (command.type === "extendBudget") await opened.extendBudget(command.extra);
      await continueTurn(opened);
      return succeeded(opened);
    }
    case "compact": {
      const instructions = command.text;
      const how = instructions === undefined ? {} : { instructions };
      await begun(agent, "compaction.start", () => agent.compact(how));
      return succeeded(agent);
    }
    case "setSlot":
      return setSlot(command, run);
    case "breakAt":
      return refused("invalid", `An agent has its breakpoints in the slot ${BREAKPOINTS}.`);
    case "forkPlan":
      return planFork(run.config!.store!, command, run.config);
    case "fork":
      return fork(command, run.config!);
  }
}

/** A user message whose metadata names the inspector as its author. */
function userMessage(text: string): Msg {
  return userMsg(text, { metadata: { by: "inspector" } });
}

function succeeded(agent: Agent): CommandOutcome {
  return { ok: true, seq: agent.status().seq };
}

function inTurn(agent: Agent, isTaken: boolean): CommandOutcome {
  return isTaken ? succeeded(agent) : refused("invalid", "No turn is running.");
}

/** Continues the turn; resolves when it has started, and rejects if it cannot start. Its result is visible in the chart. */
async function continueTurn(agent: Agent, message?: Input): Promise<void> {
  await begun(agent, "turn.start", () => agent.call(message));
}

/** Resolves when an event tells that some work has begun, or when the work has ended without it. Rejects as the work does before that. */
async function begun(
  agent: Agent,
  type: "turn.start" | "compaction.start",
  work: () => Promise<unknown>,
): Promise<void> {
  const { promise: started, resolve } = Promise.withResolvers<void>();
  const unsubscribe = agent.subscribe(() => resolve(), { types: [type] });
  try {
    await Promise.race([started, work()]);
  } finally {
    unsubscribe();
  }
}

/** Replaces the value of a slot. Rejects `slot/conflict`, `slot/invalid` and `slot/read-only`. */
async function setSlot(
  { name, value, revision }: CommandOf<"setSlot">,
  run: WatchedRun,
): Promise<CommandOutcome> {
  const { agent } = run;
  const slot = await run.slotNamed(name);
  if (!slot) return refused("invalid", `The agent has no slot '${name}'.`);
  checkWritableByClients(slot);
  const seen = await agent.slots.get(slot);
  const restored = seen.revision === revision ? restoredValue(value, seen.value as Json) : value;
  if (restored === undefined)
    return refused("invalid", "Parts of the value are not shown here; its lists must keep their length.");
  await agent.slots.set(slot, restored, { revision });
  return succeeded(agent);
}

/**
 * Returns the agent, or a new one for its session if it was closed. Rejects `session/conflict` while another
 * process has the session.
 */
async function openAgent(run: WatchedRun): Promise<Agent> {
  if (run.isOpen) return run.agent;
  const { agent, config } = run;
  const { messages: _, ...rest } = withoutSnapshot(config!);
  const { sessionId } = agent;
  return run.replacedBy(async () => {
    const next = createAgent({
      ...rest,
      sessionId,
      ...(!rest.store && { sessionOptions: { ...rest.sessionOptions, snapshot: agent.snapshot() } }),
    });
    await next.open();
    return next;
  });
}

async function decide(command: CommandOf<"decide">, run: WatchedRun): Promise<CommandOutcome> {
  const { callId, argsHash } = command;
  if (!run.isOpen && !run.config)
    return refused("unavailable", "The agent was closed; its process no longer drives the run.");
  const agent = await openAgent(run);
  const pending = agent.status().pending.find((call) => call.callId === callId);
  if (!pending || pending.decided) {
    return run.requestedCalls.has(callId) || pending
      ? refused("answered", "Another user has already answered this call.")
      : refused("invalid", `No call with the id '${callId}' waits for a decision.`);
  }
  if (pending.argsHash !== argsHash)
    return refused("stale", "The arguments of this call have changed since they were displayed.");
  const decision = withHiddenParts(command.decision, pending);
  const problem = answerProblem(decision, pending);
  if (problem) return refused("invalid", problem);
  try {
    await agent.decide(callId, decision, { argsHash, by: "inspector" });
  } catch (error) {
    if (AgentError.is(error) && error.code === "run/bad-decision") return refused("invalid", error.message);
    throw error;
  }
  const status = agent.status();
  if (status.phase === "suspended" && status.pending.every(isSettled)) await continueTurn(agent);
  return succeeded(agent);
}

function withHiddenParts(decision: Decision, { input }: PendingItem): Decision {
  if (typeof decision !== "object" || !("edit" in decision)) return decision;
  return { edit: restoreHidden(decision.edit, input) };
}

function answerProblem(decision: Decision, pending: PendingItem): string | undefined {
  if (
    typeof decision !== "object" ||
    !("answer" in decision) ||
    !pending.answerSchema ||
    typeof decision.answer !== "string"
  )
    return undefined;
  const problems = [decision.answer, jsonOrText(decision.answer)].map((answer) =>
    validateInput(pending.answerSchema!, answer),
  );
  return problems.includes(null) ? undefined : (problems.at(-1) ?? undefined);
}

async function fork(command: CommandOf<"fork">, config: AgentConfig): Promise<CommandOutcome> {
  if (command.changes) checkChangesOf(config as unknown as AnyAgentConfig, command.changes);
  const forks = await writeForks(config.store!, command);
  if (command.start) {
    const recording =
      command.tools === "recorded" ? await recordingOf(config.store!, command.runId) : undefined;
    const input = command.input === undefined ? undefined : userMessage(command.input);
    await Promise.all(forks.map((each) => startFork(each, config, recording, input)));
  }
  return forkOutcome(forks);
}

/** Runs a fork, with the results of a recording in the place of its tools if there is one. Resolves when its turn has started or failed to
 *  start. */
async function startFork(
  { sessionId, meta: labels, input: recorded }: Fork,
  config: AgentConfig,
  recording: Recording | undefined,
  edited: Msg | undefined,
): Promise<void> {
  const meta = { ...config.meta, ...labels };
  const { messages: _, ...rest } = withoutSnapshot(config);
  const live = { ...rest, sessionId, meta };
  const repeated = recording && new RecordedResults(recording);
  const agent = createAgent(repeated ? repeated.configured(live) : live);
  await repeated?.begin(agent, config.store!);
  await agent.open();
  if (agent.status().phase !== "suspended" || agent.status().pending.every(isSettled))
    await continueTurn(agent, recorded.length > 0 ? (edited ?? recorded) : undefined).catch(() => {});
}
