import type { Agent } from "../../agent/types.ts";
import { AgentError } from "../../base/error.ts";
import type { Decision, PendingCall } from "../../tool/pending.ts";
import { sayHowToGoOn } from "../how-to-go-on.ts";
import { withAgent } from "../open-agent.ts";
import { withStore } from "../open-store.ts";
import type { GivenFlags } from "../read-flags.ts";
import { pendingLine } from "../show-turn.ts";
import { aboutSession, askCommand, type SessionLine } from "../stored-session.ts";
import type { Surroundings } from "../surroundings.ts";
import { takeTurn } from "../take-turn.ts";
import { onlyWord } from "../words.ts";
import { readDecisions, type Decided } from "./read-decisions.ts";

/** How a turn ends that is over: there is nothing of it to go on with. */
const OVER = new Set(["MODEL_STOP", "STRUCTURED_OUTPUT", "MAX_ITERATIONS", "BUDGET_EXCEEDED", "INTERRUPTED"]);

/** `agentchart sessions resume`: goes on with a turn that waits or was cut off. */
export async function resumeCommand(flags: GivenFlags, surroundings: Surroundings): Promise<number> {
  const sessionId = onlyWord(flags, "Which session? agentchart sessions resume <id>");
  return resumeSession({ sessionId, flags }, surroundings);
}

/** Goes on with a session, after what the flags decide about its open calls. Gives the exit code. */
export async function resumeSession(session: SessionLine, surroundings: Surroundings): Promise<number> {
  const { sessionId, flags } = session;
  return withStore(flags.text("store"), (store) =>
    aboutSession(session, async () => {
      if (!(await store.load(sessionId)))
        throw new AgentError("session/not-found", `Session not found: ${sessionId}`);
      return withAgent(flags, surroundings, { store, sessionId }, (agent) =>
        goOn(agent, session, surroundings),
      );
    }),
  );
}

async function goOn(agent: Agent, session: SessionLine, surroundings: Surroundings): Promise<number> {
  const { terminal } = surroundings;
  await agent.open();
  refuseIfOver(agent, session);
  const decisions = readDecisions(session.flags, agent.status());
  refuseWithoutTools(agent, decisions);
  for (const { callId, decision } of decisions) await agent.decide(callId, decision);
  const status = agent.status();
  const open = status.pending.filter((call) => keepsWaiting(call, decisions.length > 0));
  if (open.length === 0)
    return takeTurn(agent, undefined, surroundings, { isJson: session.flags.has("json"), session });
  for (const call of open) terminal.warn(pendingLine(call));
  sayHowToGoOn(status, session, terminal);
  return 0;
}

/** Without its tool, a call that runs would get an error as its result, and its approval would be used up. */
function refuseWithoutTools(agent: Agent, decisions: readonly Decided[]): void {
  const names = agent.toolkit.names();
  const chosen = new Map(decisions.map(({ callId, decision }) => [callId, decision]));
  const missing = agent.status().pending.find(({ callId, name, decided, waitsFor }) => {
    const decision = chosen.get(callId) ?? decided;
    const runs =
      decision === undefined
        ? chosen.size === 0 && waitsFor !== "approval" && waitsFor !== "unknownOutcome"
        : letsRun(decision);
    return runs && !names.includes(name);
  });
  if (missing)
    throw new AgentError(
      "tool/unknown",
      `There is no tool "${missing.name}" here: name its file with --tools.`,
    );
}

function letsRun(decision: Decision): boolean {
  if (typeof decision === "string") return decision !== "deny";
  return "approve" in decision || "edit" in decision;
}

/** Whoever answers some of the calls does not ask for the others to be run again. */
function keepsWaiting({ decided, waitsFor }: PendingCall, hasDecisions: boolean): boolean {
  if (decided || waitsFor === "stopRequested") return false;
  return waitsFor !== "externalResult" || hasDecisions;
}

function refuseIfOver(agent: Agent, session: SessionLine): void {
  const { phase, reason } = agent.status();
  if (phase !== "stopped" || reason === undefined || !OVER.has(reason)) return;
  throw new AgentError(
    "run/invalid-event",
    `There is nothing to resume: the last turn of session '${session.sessionId}' is over (${reason}). Ask the next one with "${askCommand(session)}".`,
  );
}
