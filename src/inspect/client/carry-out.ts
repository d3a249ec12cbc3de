import { createAgent } from "../../agent/create-agent.ts";
import type { Agent, AgentConfig } from "../../agent/types.ts";
import { userMsg } from "../../message/create.ts";
import type { Msg } from "../../message/types.ts";
import { validateInput } from "../../tool/schema.ts";
import type { Decision } from "../../tool/pending.ts";
import { failed, refused, type Outcome } from "../protocol/ack.ts";
import { isSettled } from "./commands-for.ts";
import { forked, planFork, writeFork } from "./fork-run.ts";
import type { Command, CommandType, PendingItem, RunRow } from "../protocol/protocol.ts";
import { restoreHidden } from "./restore-hidden.ts";
import type { WatchedRun, WorkerInfo } from "./watch-run.ts";

type Of<Type extends CommandType> = Extract<Command, { type: Type }>;

/** Carries out what a person asks of a run in this process. Never rejects. */
export async function carryOut(command: Command, run: WatchedRun, worker: WorkerInfo): Promise<Outcome> {
  try {
    const carry = (): Promise<Outcome> =>
      run.caused.during(command, () => doIfPossible(command, run, worker));
    return await (IN_TURN.has(command.type) ? run.inTurn(carry) : carry());
  } catch (error) {
    return failed(error);
  }
}

/** What may make a resting run go on: the first one does, the next one sees that. */
const IN_TURN: ReadonlySet<CommandType> = new Set(["decide", "resume", "extendBudget", "send"]);
/** What is asked for once each time that it is offered. */
const ANSWERS: ReadonlySet<CommandType> = new Set(["resume", "extendBudget"]);

async function doIfPossible(command: Command, run: WatchedRun, worker: WorkerInfo): Promise<Outcome> {
  run.write(); // what was seen counts, written or not
  const { row } = run.report(worker);
  if (command.type === "decide") return decide(command, run);
  if (!row.can.includes(command.type)) return notNow(command.type, row.phase, run);
  const change = changeSince("expect" in command ? command.expect?.leaf : undefined, row);
  return change === undefined ? doIt(command, run) : refused("stale", change);
}

/** What has become of a run that rested elsewhere when it was seen; undefined if it rests there still. */
function changeSince(
  seen: string | undefined,
  { leaf = "", phase, state, steps }: RunRow,
): string | undefined {
  if (seen === undefined || seen === leaf) return undefined;
  const at = seen.lastIndexOf(".");
  const isOurs = leaf.startsWith(seen.slice(0, at + 1));
  const passed = steps - Number(seen.slice(at + 1));
  const since = isOurs && passed > 0 ? `${passed} ${passed === 1 ? "step" : "steps"} later` : "now";
  return `The run has gone on since you saw it: ${since} it is ${phase}, at ${state}.`;
}

function notNow(type: CommandType, phase: string, run: WatchedRun): Outcome {
  const isFork = type === "fork" || type === "forkPlan";
  if (isFork) return refused("unavailable", "A fork needs a store; this run has none.");
  if (!run.isAlive)
    return refused("unavailable", "The agent was closed; its process does not drive it any more.");
  if (ANSWERS.has(type) && run.offered.has(type))
    return refused("answered", `Somebody else was first: the run is ${phase} now.`);
  return refused("invalid", `A run that is ${phase} does not take '${type}'.`);
}

async function doIt(command: Exclude<Command, { type: "decide" }>, run: WatchedRun): Promise<Outcome> {
  const { agent } = run;
  switch (command.type) {
    case "interrupt":
      return agent.interrupt(command.text && said(command.text))
        ? done(agent)
        : refused("invalid", "No turn is running.");
    case "steer":
      return agent.steer(said(command.text)) ? done(agent) : refused("invalid", "No turn is running.");
    case "send":
      await goOn(agent, said(command.text));
      return done(agent);
    case "shutdown":
      await agent.shutdown();
      return done(agent);
    case "resume": {
      const living = await alive(run);
      await goOn(living);
      return done(living);
    }
    case "extendBudget": {
      const living = await alive(run);
      await living.extendBudget(command.extra);
      await goOn(living);
      return done(living);
    }
    case "forkPlan":
      return planFork(run.config!.store!, run.runId, command.seq);
    case "fork":
      return fork(command, run.config!);
  }
}

/** What a person says in the inspector: the log keeps who said it. */
function said(text: string): Msg {
  return userMsg(text, { metadata: { by: "inspector" } });
}

function done(agent: Agent): Outcome {
  return { ok: true, seq: agent.status().seq };
}

/** Ends when the turn goes on, or cannot; what comes of it is seen in the chart. */
async function goOn(agent: Agent, message?: Msg): Promise<void> {
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const unsubscribe = agent.subscribe(() => resolve(), { types: ["turn.start"] });
  agent
    .call(message)
    .catch(() => {})
    .finally(resolve);
  await begun;
  unsubscribe();
}

/** The agent, or the next one of its session if it was shut down. Rejects `session/conflict` while another process has it. */
async function alive(run: WatchedRun): Promise<Agent> {
  if (run.isAlive) return run.agent;
  const { agent, config } = run;
  const { messages: _, snapshot: __, ...rest } = config!;
  const { sessionId } = agent;
  const next = createAgent({ ...rest, sessionId, ...(!rest.store && { snapshot: agent.snapshot() }) });
  await next.open();
  return next;
}

async function decide(command: Of<"decide">, run: WatchedRun): Promise<Outcome> {
  const { callId, argsHash } = command;
  if (!run.isAlive && !run.config)
    return refused("unavailable", "The agent was closed; its process does not drive it any more.");
  const living = await alive(run);
  const pending = living.status().pending.find((call) => call.callId === callId);
  if (!pending || pending.decided) {
    return run.asked.has(callId) || pending
      ? refused("answered", "Somebody else has answered this call.")
      : refused("invalid", `No open call has the id '${callId}'.`);
  }
  if (pending.argsHash !== argsHash)
    return refused("stale", "The arguments of this call are others than those that were shown.");
  const decision = whole(command.decision, pending);
  const problem = problemOf(decision, pending, run);
  if (problem) return refused("invalid", problem);
  await living.decide(callId, decision, { argsHash });
  const status = living.status();
  if (status.phase === "suspended" && status.pending.every(isSettled)) await goOn(living);
  return done(living);
}

function whole(decision: Decision, { input }: PendingItem): Decision {
  if (typeof decision !== "object" || !("edit" in decision)) return decision;
  return { edit: restoreHidden(decision.edit, input) };
}

function problemOf(decision: Decision, pending: PendingItem, run: WatchedRun): string | undefined {
  if (typeof decision !== "object") return undefined;
  if ("edit" in decision) {
    const schema = run.inputSchemaOf(pending.name);
    return (schema && validateInput(schema, decision.edit)) ?? undefined;
  }
  if (!("answer" in decision) || !pending.answerSchema || typeof decision.answer !== "string")
    return undefined;
  const problems = [decision.answer, parsed(decision.answer)].map((answer) =>
    validateInput(pending.answerSchema!, answer),
  );
  return problems.includes(null) ? undefined : (problems.at(-1) ?? undefined);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

async function fork(command: Of<"fork">, config: AgentConfig): Promise<Outcome> {
  const written = await writeFork(config.store!, command);
  if (!("fork" in written)) return written;
  const { fork } = written;
  if (command.start) {
    const meta = { ...config.meta, forkedFrom: command.runId, forkedAt: command.seq };
    const { messages: _, snapshot: __, ...rest } = config;
    const agent = createAgent({ ...rest, sessionId: fork.sessionId, meta });
    await agent.open();
    if (agent.status().phase !== "suspended" || agent.status().pending.every(isSettled)) await goOn(agent);
  }
  return forked(fork);
}
