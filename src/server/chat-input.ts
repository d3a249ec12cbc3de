import type { Context } from "hono";
import { AgentError } from "../core/base/error.ts";
import type { Json, JsonObject } from "../core/base/json.ts";
import { check } from "../core/base/options.ts";
import type { ClientTool } from "../core/tool/declared-tools.ts";
import { decisionSchema } from "../core/tool/decision-schema.ts";
import { hashInput } from "../core/base/hash.ts";
import type { ChatRequest } from "../ui/read-chat-request.ts";
import type { ServerEnv } from "./authenticate.ts";
import { newsAfter, newsOf, openTurn, type TurnNews } from "./chat-turn.ts";
import type { ServerOptions } from "./options.ts";
import type { TenantSessions } from "./tenant-sessions.ts";

type Status = Awaited<ReturnType<TenantSessions["find"]>>;

/** The news of a turn, from when a page reads them; undefined if there are none. */
export type News = ((signal: AbortSignal) => AsyncIterable<TurnNews>) | undefined;

/** The message of a page to a session. */
export type Said = {
  readonly text: string;
  /** Saying something twice with the same key is one input. */
  readonly key?: string;
  /** The agent of a new session. */
  readonly agent?: string | undefined;
  /** The tools that the page declares. */
  readonly clientTools?: readonly ClientTool[] | undefined;
};

function busy(): AgentError {
  const message = "A turn runs: add to it with POST …/steer, or wait for its end.";
  return new AgentError("run/busy", message);
}

/** Says something to a session, or begins one with it. Rejects with `run/busy` while a turn runs, or waits for a worker to go on. */
export async function say(
  sessions: TenantSessions,
  id: string,
  status: Status,
  { text, key, agent, clientTools }: Said,
  known: ServerOptions["agents"],
): Promise<News> {
  const isBusy = status?.phase === "running" || status?.phase === "unfinished";
  if (status && (isBusy || status.inputs > 0)) throw busy();
  const once = { idempotencyKey: key, clientTools };
  const { inputId, state } = status
    ? await sessions.dispatch(id, (to, sessionId) => to.dispatch(sessionId, text, once))
    : await sessions.begin(id, text, { ...once, agent: agentOf(agent, known) });
  if (state === "accepted")
    return (signal) => newsAfter(sessions, id, status?.seq ?? 0, signal, new Set([inputId]));
  const open = await openTurn(sessions, id);
  return open && ((signal) => newsOf(sessions, id, open, signal)); // without, its turn is over
}

/** Decides calls of a session. There are no news if others are still waited for. */
export async function decide(
  c: Context<ServerEnv>,
  sessions: TenantSessions,
  id: string,
  status: Status,
  decisions: ChatRequest["decisions"],
): Promise<News> {
  const { name, tenant } = c.get("access");
  const inputs = new Set<string>();
  for (const { decision } of decisions) check(decisionSchema(), decision, "decide", "The decision");
  const by = name || tenant;
  for (const { callId, decision, argsHash } of decisions) {
    // a page shows what it has decided again; later the same call may wait for the same decision once more
    const said: JsonObject = {
      chat: callId,
      argsHash,
      by,
      decision: decision as Json,
      seq: status?.seq ?? 0,
    };
    const idempotencyKey = hashInput(said);
    const { inputId } = await sessions.decide(id, callId, decision, { argsHash, by, idempotencyKey });
    inputs.add(inputId);
  }
  if (await sessions.isUndecided(id, status?.pending ?? [])) return;
  return (signal) => newsAfter(sessions, id, status?.seq ?? 0, signal, inputs);
}

/** The agent of a new session. */
function agentOf(agent: string | undefined, known: readonly string[] | undefined): string {
  if (agent !== undefined && (known?.includes(agent) ?? true)) return agent;
  const which = known ? `one of ${known.join(", ")}` : "the name of an agent";
  throw new AgentError(
    "message/invalid",
    `The session is new: \`agent\` of the body must be ${which}, such as in \`body\` of the transport or in \`forwardedProps\`.`,
  );
}
