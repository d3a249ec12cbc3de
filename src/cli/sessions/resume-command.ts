import { causedBy } from "../../agent/steps.ts";
import type { Agent } from "../../agent/types.ts";
import { AgentError } from "../../core/base/error.ts";
import type { Decision, PendingCall } from "../../core/tool/pending.ts";
import type { CliIo } from "../cli-io.ts";
import type { Handler, Values } from "../define-command.ts";
import { printNextCommands } from "../next-commands.ts";
import { userName } from "../person.ts";
import { pendingLine } from "../print-turn.ts";
import { runTurn } from "../run-turn.ts";
import { askCommand, withSession, type SessionTarget } from "../session-commands.ts";
import type { STORE } from "../shared-flags.ts";
import { withAgent, type AgentFlags } from "../with-agent.ts";
import type { resume as definition } from "./definitions.ts";
import { readDecisions, type CallDecision, type DecisionFlags } from "./read-decisions.ts";
import { notLoaded, refuseUnloaded, toolOf } from "./refuse-unloaded.ts";

type ResumeFlags = AgentFlags & Values<typeof STORE> & Partial<DecisionFlags>;

/** The reasons of turns that are complete, so that they cannot be resumed. */
const COMPLETE = new Set([
  "MODEL_STOP",
  "STRUCTURED_OUTPUT",
  "MAX_ITERATIONS",
  "BUDGET_EXCEEDED",
  "INTERRUPTED",
]);

/** `agentchart sessions resume`. */
export const resumeCommand: Handler<typeof definition> = ({ args, flags }, io) =>
  resumeSession(args.id, flags, io);

/** Applies the decisions of the flags to the open calls of a session and continues its turn. Returns the exit code. */
export async function resumeSession(sessionId: string, flags: ResumeFlags, io: CliIo): Promise<number> {
  return withSession({ sessionId, flags }, async (store) => {
    if (!(await store.load(sessionId)))
      throw new AgentError("session/not-found", `Session not found: ${sessionId}`);
    return withAgent(flags, io, { store, sessionId }, async (agent) => {
      await refuseUnloaded(agent, { store, sessionId });
      return resume(agent, sessionId, flags, io);
    });
  });
}

async function resume(agent: Agent, sessionId: string, flags: ResumeFlags, io: CliIo): Promise<number> {
  const { answer = [], approve = [], deny = [], retry = [] } = flags;
  const session = { sessionId, flags };
  await agent.open();
  refuseIfComplete(agent, session);
  const decisions = readDecisions({ answer, approve, deny, retry }, agent.status());
  refuseWithoutTools(agent, decisions);
  for (const { callId, decision } of decisions)
    await causedBy("operator", () => agent.decide(callId, decision, { by: userName() }));
  const status = agent.status();
  const open = status.pending.filter((call) => keepsWaiting(call, decisions.length > 0));
  if (open.length === 0) return runTurn(agent, undefined, io, { isJson: flags.json, session });
  for (const call of open) io.terminal.warn(pendingLine(call));
  printNextCommands(status, session, io.terminal);
  return 0;
}

/** Without its tool, a call that runs would get an error as its result and use up its approval. */
function refuseWithoutTools(agent: Agent, decisions: readonly CallDecision[]): void {
  const names = agent.toolkit.names();
  const decided = new Map(decisions.map(({ callId, decision }) => [callId, decision]));
  const missing = agent.status().pending.find((call) => {
    const { callId, decided: earlier, waitsFor, ask, path } = call;
    const decision = decided.get(callId) ?? earlier;
    const runs =
      decision === undefined
        ? decided.size === 0 && waitsFor !== "approval" && waitsFor !== "unknownOutcome"
        : ask !== undefined || path !== undefined || allowsRun(decision);
    return runs && !names.includes(toolOf(call));
  });
  if (missing) throw notLoaded(toolOf(missing));
}

function allowsRun(decision: Decision): boolean {
  if (typeof decision === "string") return decision !== "deny";
  return "approve" in decision || "edit" in decision;
}

/** A decision about some calls does not ask for the others to run again. */
function keepsWaiting({ decided, waitsFor }: PendingCall, hasDecisions: boolean): boolean {
  if (decided || waitsFor === "stopRequested") return false;
  return waitsFor !== "externalResult" || hasDecisions;
}

function refuseIfComplete(agent: Agent, session: SessionTarget): void {
  const { phase, reason } = agent.status();
  if (phase !== "stopped" || reason === undefined || !COMPLETE.has(reason)) return;
  throw new AgentError(
    "run/invalid-event",
    `The last turn of session '${session.sessionId}' is complete (${reason}) and cannot be resumed. Ask the next question with "${askCommand(session)}".`,
  );
}
