import { createAgent } from "../../agent/create-agent.ts";
import type { AgentConfig } from "../../agent/options/agent-config.ts";
import type { Agent, Reply } from "../../agent/types.ts";
import { AgentError, configError, agentErrorOf, messageOf, type ErrorInfo } from "../../core/base/error.ts";
import { textOf, addUsage } from "../../core/message/msg.ts";
import type { Usage } from "../../core/message/types.ts";
import type { Decision, PendingCall } from "../../core/tool/pending.ts";
import type { SessionStore } from "../../store/port.ts";
import type { RunReader } from "./read-run.ts";
import type { EvalCase, EvalRun, EvaluateOptions } from "./types.ts";

type Options = Pick<EvaluateOptions, "agent" | "output" | "decide" | "user" | "maxTurns" | "signal">;

/** Errors that say nothing about a turn of the agent: of what it was given, and of a session that is of other inputs. */
const NO_TURN: ReadonlySet<string> = new Set(["config/invalid", "run/key-reused"]);

/** The longest time that an aborted run waits for its turn to come to where it can go on, ms. */
const LEAVE_MS = 1_000;

/** The input of a call that goes on with a turn. */
const NOTHING = undefined;

/** A run that is to be made. */
export type RunPlan = {
  readonly case: EvalCase;
  readonly repeat: number;
  readonly sessionId: string;
  readonly store: SessionStore;
};

/** The turns of a session, as far as they have run. */
type Turns = { last: Reply | undefined; error: ErrorInfo | undefined; usage: Usage } & {
  -readonly [Count in "modelCalls" | "toolCalls" | "durationMs"]: number;
};

/**
 * Runs a case in its session, and reads what judges ask. A turn that is stored is not run again, and one that was cut off goes on. A turn
 * that fails is a run with an `error`. An aborted run leaves its turn to the next one. Rejects with what the configuration, `decide` or
 * `user` throws, `run/aborted` and `run/shutdown`.
 */
export async function runCase(plan: RunPlan, options: Options, reader: RunReader): Promise<EvalRun> {
  const { case: of, store, sessionId, repeat } = plan;
  const config = { ...(await options.agent(of)), store, sessionId } as unknown as AgentConfig;
  const agent = createAgent(config);
  // The turn is left as by the end of the process: an interrupted one would be over, and be judged for what it has not said.
  const leave = (): void => void agent.shutdown({ deadlineMs: LEAVE_MS }).catch(() => {});
  options.signal?.addEventListener("abort", leave, { once: true });
  try {
    if (options.signal?.aborted) throw new AgentError("run/aborted", "The run was aborted.");
    const turns = await runTurns(agent, of, options);
    const { last, error, ...counts } = turns;
    return {
      case: of,
      repeat,
      sessionId,
      text: last?.text ?? "",
      output: last?.output,
      ...(last && { reason: last.reason }),
      ...(error && { error }),
      messages: await agent.messages(),
      ...counts,
      ...(await reader.read(sessionId)),
    };
  } finally {
    options.signal?.removeEventListener("abort", leave);
    await agent.close();
  }
}

async function runTurns(agent: Agent, of: EvalCase, options: Options): Promise<Turns> {
  const turns: Turns = {
    last: undefined,
    error: undefined,
    usage: {},
    modelCalls: 0,
    toolCalls: 0,
    durationMs: 0,
  };
  const said = (await agent.messages())
    .filter(({ role, name, addedBy }) => role === "user" && name === role && addedBy === undefined)
    .map(textOf);
  for (let turn = 1; ; turn++) {
    const input = await inputOf(turn, said, agent, of, options);
    if (input === undefined) return turns;
    try {
      count(turns, await runTurn(agent, input, turn, of, options));
    } catch (error) {
      const failed = agentErrorOf(error, "run/invalid-event");
      if (options.signal?.aborted || NO_TURN.has(failed.code)) throw failed;
      turns.error = failed.toJSON();
      return turns;
    }
  }
}

/** The input of a turn: of a session that goes on, the one that is stored. */
async function inputOf(
  turn: number,
  said: readonly string[],
  agent: Agent,
  of: EvalCase,
  { user, maxTurns = 10 }: Options,
): Promise<string | undefined> {
  const inputs = of.input === undefined ? [] : [of.input].flat();
  if (turn <= inputs.length) return inputs[turn - 1];
  if (!user || turn > maxTurns) return undefined;
  const input = said[turn - 1] ?? (await user(await agent.messages(), of));
  if (input === undefined || typeof input === "string") return input;
  throw configError("evaluate: `user` returned neither a text nor undefined.");
}

async function runTurn(
  agent: Agent,
  input: string,
  turn: number,
  of: EvalCase,
  { output, decide }: Options,
): Promise<Reply> {
  const more = { ...(output && { output }) } as { readonly idempotencyKey?: string };
  let reply: Reply = await agent.call(input, { idempotencyKey: `turn-${turn}`, ...more });
  if (!decide) return reply;
  while (reply.pending.length > 0) {
    const open = reply.pending.filter(({ decided }) => decided === undefined);
    let left = open.length;
    for (const call of open) {
      const decision = await decided(decide, call, of);
      if (decision === undefined) continue;
      await agent.decide(call.callId, decision);
      left--;
    }
    if (left > 0) return reply;
    reply = await agent.call(NOTHING, more);
  }
  return reply;
}

/** Returns the decision of `decide`. Its failure is not the turn's. */
async function decided(
  decide: NonNullable<Options["decide"]>,
  call: PendingCall,
  of: EvalCase,
): Promise<Decision | undefined> {
  try {
    return await decide(call, of);
  } catch (cause) {
    throw configError(`evaluate: \`decide\` failed: ${messageOf(cause)}`, { cause });
  }
}

function count(turns: Turns, reply: Reply): void {
  const { usage, modelCalls, toolCalls, durationMs } = reply.turn;
  turns.usage = turns.last ? addUsage(turns.usage, usage) : usage;
  turns.last = reply;
  turns.modelCalls += modelCalls;
  turns.toolCalls += toolCalls;
  turns.durationMs += durationMs;
}
