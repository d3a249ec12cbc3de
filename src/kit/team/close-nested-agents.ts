import type { AnyAgentConfig } from "../../agent/options/agent-config.ts";
import { createInnerAgent } from "../../agent/create-agent.ts";
import type { InnerAgent } from "../../agent/inbox-agent.ts";
import type { LeftCall } from "../../agent/services/run-call.ts";
import type { InnerState } from "./bubble.ts";
import { innerConfig, waitMsOf } from "./inner-config.ts";
import type { AgentToolAgent } from "./options.ts";

type LiveAgent = Pick<InnerAgent, "status" | "interrupt" | "subscribe">;

/** True if an agent still waits for what it waited for when its call was suspended. */
function isSameWait(child: Pick<InnerAgent, "status">, { hashes }: Pick<InnerState, "hashes">): boolean {
  const { phase, pending } = child.status();
  return (
    phase === "suspended" &&
    Object.entries(hashes).every(([address, hash]) =>
      pending.some(({ callId, argsHash }) => callId === address && argsHash === hash),
    )
  );
}

/** Interrupts the agent that waits inside of a call which has got its result without it. Its session stays valid, and may be called
 *  again. Without a store there is nothing to do: what it knew was in the call. */
export async function closeNestedAgents(
  agent: AgentToolAgent,
  { host, call, state }: LeftCall,
): Promise<void> {
  const { store } = host.config;
  const { sessionId, limits, hashes } = state as unknown as InnerState;
  if (!store || !sessionId.startsWith(`${host.sessionId}/`)) return; // a fork shares the sessions of the original
  if ((await store.load(sessionId))?.position.phase !== "suspended") return;
  const ctx = { callId: call.id, context: host.context() };
  const config: AnyAgentConfig = innerConfig({
    agent,
    ctx,
    outer: { host },
    sessionId,
    limits,
    snapshot: undefined,
  });
  const child = createInnerAgent(config, [...host.path, agent.name]);
  try {
    await child.open({ waitMs: waitMsOf(host.config) });
    if (isSameWait(child, { hashes })) child.interrupt();
    await child.rest();
  } finally {
    await child.close();
  }
}

/** The same for an agent that lives in this process. Resolves when it has come to rest. */
export async function leaveLive(agent: LiveAgent, { state }: LeftCall): Promise<void> {
  if (!isSameWait(agent, state as unknown as InnerState) || !agent.interrupt()) return;
  const { promise: rested, resolve } = Promise.withResolvers<void>();
  const follow = (): void => void (agent.status().phase === "running" || resolve());
  const stop = agent.subscribe(follow, { types: ["state"] });
  follow(); // hooks may run at its end
  await rested;
  stop();
}
