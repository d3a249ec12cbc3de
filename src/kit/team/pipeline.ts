import { configError } from "../../core/base/error.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { Msg } from "../../core/message/types.ts";
import { defineTool } from "../../core/tool/define.ts";
import type { Schema, Tool, AnyToolContext, ToolReturn } from "../../core/tool/types.ts";
import { createAgent } from "../../agent/create-agent.ts";
import { onLeft } from "../../agent/services/run-call.ts";
import type { Agent, AnyAgent, Snapshot, Reply } from "../../agent/types.ts";
import type { AgentConfig } from "../../agent/options/agent-config.ts";
import type { ModelOptions, ToolOptions } from "../../agent/options/config-groups.ts";
import { codeModel } from "./code-model.ts";
import { checkSessionless } from "./inner-config.ts";
import { closeNestedAgents, leaveLive } from "./close-nested-agents.ts";
import { MAX_DEPTH } from "../../agent/nested-path.ts";
import { checkNesting, noteAgent, toolNameOf } from "./nesting.ts";
import type { AgentToolAgent } from "./options.ts";
import { nextOf } from "./program.ts";
import { runInner } from "./run-inner.ts";
import { agentsOf, isComposite, roundsOf, type PipelineAgent, type PipelineStep } from "./steps.ts";
import { isDeepStrictEqual } from "node:util";
import { answerInside, extendedBy, isGivenUp, waitingFor } from "./bubble.ts";
import { isBroadcast } from "./hub.ts";
import { executionError, resultOf } from "./result.ts";

/** Options of {@link pipeline}: its steps, and what else any agent may have. */
export type PipelineOptions = Omit<
  AgentConfig,
  | "model"
  | "modelOptions"
  | "tools"
  | "toolkit"
  | "toolOptions"
  | "sysPrompt"
  | "maxIters"
  | "compaction"
  | "parallelToolCalls"
> & {
  readonly steps: PipelineStep;
  readonly modelOptions?: Omit<ModelOptions, "fallbackModel" | "contextWindow"> | undefined;
  readonly toolOptions?: Omit<ToolOptions, "search" | "results"> | undefined;
};

const INPUT: JsonObject = {
  type: "object",
  properties: { messages: { type: "array" }, output: { type: "object" } },
  required: ["messages"],
};

type StepInput = { readonly messages: readonly Msg[]; readonly output?: JsonObject };

const isLive = (agent: PipelineAgent): agent is AnyAgent =>
  typeof (agent as { readonly call?: unknown }).call === "function";

/** The tool that runs an agent of a pipeline. */
function stepTool(agent: PipelineAgent, name: string): Tool {
  const execute = isLive(agent)
    ? ({ messages, output }: StepInput, ctx: AnyToolContext): Promise<ToolReturn> =>
        runLive(agent, messages, output, ctx)
    : ({ messages, output }: StepInput, ctx: AnyToolContext): Promise<ToolReturn> =>
        runInner({
          options: { agent, reply: "all", ...(output && { output: output as Schema }) },
          agent: agent as AgentToolAgent,
          part: ctx.callId,
          input: messages,
          ctx,
          snapshots: new Map<string, Snapshot>(),
        });
  onLeft(execute, (left) =>
    isLive(agent) ? leaveLive(agent, left) : closeNestedAgents(agent as AgentToolAgent, left),
  );
  if (!isLive(agent)) {
    checkSessionless(agent as AgentToolAgent);
    checkNesting(agent as AgentToolAgent, MAX_DEPTH);
    noteAgent(execute, agent as AgentToolAgent);
  }
  return defineTool({
    name,
    description: `Runs the agent '${agent.name}'.`,
    input: INPUT,
    onRestart: "retry",
    execute: execute as never,
    ...(isLive(agent) && { maxParallel: 1 }),
  }) as Tool;
}

/** Throws `config/invalid` if two agents have one name: their answers could not be told apart. */
function namesOf(agents: readonly PipelineAgent[]): ReadonlyMap<PipelineAgent, string> {
  const names = agents.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw configError(`pipeline: two agents are named '${twice}'; expected different names.`);
  return new Map(agents.map((agent) => [agent, toolNameOf(agent.name)]));
}

/**
 * An agent whose model is code: it runs other agents as its steps say. Each run of a configuration is a session inside of a call, as
 * with {@link agentTool}: approvals, crashes, budgets and interrupts are the same. Agents that live in this process may be steps too.
 * The reply holds what the last step answered, and `metadata.replies` each answer with its `name`. Only the last agent of a sequence is
 * asked for a structured answer. An agent that fails ends the turn with `tool/failed` and the name in `data.agent`. Throws
 * `config/invalid` for wrong options, and for two agents of one name.
 *
 * @example
 * ```ts
 * import type { ChatModel, SessionStore } from "agentchart";
 * import { fanOut, pipeline, sequence } from "agentchart/team";
 *
 * export const review = (model: ChatModel, store: SessionStore, sessionId: string) =>
 *   pipeline({
 *     name: "review",
 *     steps: sequence(
 *       { name: "writer", model },
 *       fanOut([{ name: "lawyer", model }, { name: "accountant", model }]),
 *       { name: "editor", model },
 *     ),
 *     store,
 *     sessionId,
 *   });
 * ```
 */
export function pipeline(options: PipelineOptions): Agent {
  const { steps, ...config } = (options ?? {}) as PipelineOptions;
  const isStep = typeof steps === "object" && steps !== null && (isComposite(steps) || "name" in steps);
  if (!isStep) throw configError("pipeline: expected `steps`, such as sequence({ name, model }, …).");
  const given = ["model", "tools", "toolkit", "maxIters"].find((key) => key in config);
  if (given !== undefined)
    throw configError(`pipeline: there is no option \`${given}\`; the steps say what it does.`);
  const names = namesOf(agentsOf(steps));
  const scope = { toolOf: (agent: PipelineAgent) => names.get(agent)! };
  return createAgent({
    ...config,
    model: codeModel((turn) => nextOf(steps, turn, scope), { name: config.name }),
    tools: [...names].map(([agent, name]) => stepTool(agent, name)),
    parallelToolCalls: true,
    maxIters: roundsOf(steps) + 1,
    compaction: false,
    toolOptions: { ...config.toolOptions, results: false, search: false },
  });
}

/** The messages that an agent has not heard in a hub already. */
async function unheard(agent: AnyAgent, messages: readonly Msg[]): Promise<readonly Msg[]> {
  const heard = (await agent.messages()).filter(isBroadcast);
  return messages.filter(
    ({ name, content }) =>
      !heard.some((message) => message.name === name && isDeepStrictEqual(message.content, content)),
  );
}

/** A call of an agent that lives in this process, with a session of its own. */
async function runLive(
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
    if ((await answerInside(agent, resumed)).length > 0) return waitingFor(agent);
  }
  const more = { idempotencyKey: ctx.idempotencyKey, ...(output && { output }) };
  const options = { signal: ctx.signal, ...(!isResumed && more) };
  const reply: Reply<unknown> = await agent.call(isResumed ? null : await unheard(agent, messages), options);
  if (agent.status().phase === "suspended") return waitingFor(agent);
  return resultOf(reply, { sessionId: agent.sessionId, session: undefined, mode: "all" });
}
