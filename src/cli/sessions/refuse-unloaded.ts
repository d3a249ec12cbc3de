import type { Agent } from "../../agent/types.ts";
import { AgentError } from "../../core/base/error.ts";
import { openSession } from "../../session/open-session.ts";
import type { PendingCall } from "../../core/tool/pending.ts";
import type { SessionLocation } from "../with-agent.ts";

/** Refuses an agent without the tool of a stored call that waits for an approval: when it opens the session, it answers the call. */
export async function refuseUnloaded(agent: Agent, { store, sessionId }: SessionLocation): Promise<void> {
  if (((await store.load(sessionId))?.seq ?? 0) === 0) return; // a new session
  const { pending } = await (await openSession(store, sessionId)).at();
  const names = agent.toolkit.names();
  const missing = pending.find((call) => call.waitsFor === "approval" && !names.includes(toolOf(call)));
  if (missing) throw notLoaded(toolOf(missing));
}

/** The tool of the session that runs once a call is decided. */
export function toolOf({ path, name }: PendingCall): string {
  return path?.[0] ?? name;
}

export function notLoaded(tool: string): AgentError {
  return new AgentError("tool/unknown", `The tool "${tool}" is not loaded: name its file with --tools.`);
}
