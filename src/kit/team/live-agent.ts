import { isDeepStrictEqual } from "node:util";
import type { Msg } from "../../core/message/types.ts";
import { suspend } from "../../core/tool/suspend.ts";
import type { Schema, AnyToolContext, ToolReturn } from "../../core/tool/types.ts";
import type { AnyAgent, Reply } from "../../agent/types.ts";
import { answerInside, asksFor, extendedBy, isGivenUp } from "./bubble.ts";
import { isBroadcast } from "./hub.ts";
import { executionError, resultOf } from "./result.ts";

/** The messages that an agent has not heard in a hub already. */
async function unheard(agent: AnyAgent, messages: readonly Msg[]): Promise<readonly Msg[]> {
  const heard = (await agent.messages()).filter(isBroadcast);
  return messages.filter(
    ({ name, content }) =>
      !heard.some((message) => message.name === name && isDeepStrictEqual(message.content, content)),
  );
}

/** A call of an agent that lives in this process, with a session of its own. */
export async function runLive(
  agent: AnyAgent,
  messages: readonly Msg[],
  output: Schema | undefined,
  ctx: AnyToolContext,
): Promise<ToolReturn> {
  const { resumed } = ctx;
  await agent.open();
  const isResumed = resumed !== undefined && agent.status().phase === "suspended";
  if (isResumed && isGivenUp(resumed)) {
    agent.interrupt();
    return executionError(`Agent '${agent.name}' was stopped.`);
  }
  if (isResumed) {
    const extra = extendedBy({ ...resumed, state: {} });
    if (Object.keys(extra).length > 0) await agent.extendBudget(extra);
    if ((await answerInside(agent, resumed)).length > 0) return waiting(agent);
  }
  const more = { idempotencyKey: ctx.idempotencyKey, ...(output && { output }) };
  const options = { signal: ctx.signal, ...(!isResumed && more) };
  const reply: Reply<unknown> = await agent.call(isResumed ? null : await unheard(agent, messages), options);
  if (agent.status().phase === "suspended") return waiting(agent);
  return resultOf(reply, { sessionId: agent.sessionId, session: undefined, mode: "all" });
}

/** Returns the questions of the call of an agent that waits. */
function waiting(agent: AnyAgent): ToolReturn {
  const { waitsFor, pending } = agent.status();
  const open = pending.filter(({ decided }) => decided === undefined);
  const asks = asksFor(agent.name, waitsFor, open);
  const hashes = Object.fromEntries(open.map(({ callId, argsHash }) => [callId, argsHash]));
  return suspend(`Agent '${agent.name}' waits.`, { then: "resume", state: { hashes }, asks });
}
