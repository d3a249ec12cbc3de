import { configError } from "../../core/base/error.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { check } from "../../core/base/options.ts";
import { defineTool } from "../../core/tool/define.ts";
import { toolError } from "../../core/tool/suspend.ts";
import type { Schema, Tool, AnyToolContext, ToolReturn } from "../../core/tool/types.ts";
import { onLeft, outerCallOf } from "../../agent/services/run-call.ts";
import type { Snapshot } from "../../agent/types.ts";
import { checkSessionless } from "./inner-config.ts";
import { closeNestedAgents } from "./close-nested-agents.ts";
import { MAX_DEPTH } from "../../agent/nested-path.ts";
import { checkNesting, noteAgent, toolNameOf } from "./nesting.ts";
import {
  agentToolSchema,
  type AgentToolAgent,
  type AgentToolArguments,
  type AgentToolOptions,
  type AgentToolRequest,
  type AnyAgentToolOptions,
} from "./options.ts";
import { runInner } from "./run-inner.ts";

const MESSAGE = { type: "string", description: "What to tell the agent." };
const SESSION_ID = {
  type: "string",
  description:
    "The conversation to go on with, as an earlier answer named it behind `session_id:`. Default: the usual one.",
};

function inputOf({ input, session }: AnyAgentToolOptions): Schema {
  if (input) return input;
  const properties = { message: MESSAGE, ...(session === "perName" && { session_id: SESSION_ID }) };
  return { type: "object", properties, required: ["message"] };
}

function problemOf({ input, prompt, agent, name }: AnyAgentToolOptions): string | undefined {
  if (input && !prompt) return "`input` needs a `prompt`, which makes of it what the agent is told.";
  if (typeof agent !== "function" && typeof agent.name !== "string")
    return "`agent` has no `name`; expected the configuration of an agent, such as { name, model }.";
  return typeof agent === "function" && name === "" ? "`name` is empty." : undefined;
}

/** The agent of a call, checked. */
function agentFor({ agent }: AnyAgentToolOptions, request: AgentToolRequest): AgentToolAgent {
  if (typeof agent !== "function") return agent;
  const made = agent(request);
  if (typeof made !== "object" || made === null || typeof made.name !== "string")
    throw configError(
      "agentTool: the function `agent` returned no configuration; expected one such as { name, model }.",
    );
  checkSessionless(made);
  return made;
}

/**
 * Makes a tool of an agent. A call of it is a session of the agent, in the store of the agent that calls it (without a store, in the
 * call). It resumes where it was after a crash, however deep; what waits inside is in `pending` of the outermost agent,
 * and decided there. Give the result of `createAgent`'s options, not of `createAgent`. Throws `config/invalid` for wrong options, and
 * for agents that call each other in a circle or too deep, with the path to them.
 *
 * @example
 * ```ts
 * import { createAgent, type ChatModel } from "agentchart";
 * import { agentTool } from "agentchart/team";
 *
 * export const deskOf = (model: ChatModel) =>
 *   createAgent({
 *     name: "desk",
 *     model,
 *     tools: [
 *       agentTool({
 *         agent: { name: "researcher", model, sysPrompt: "Find facts." },
 *         description: "Finds facts about a topic.",
 *       }),
 *     ],
 *   });
 * ```
 */
export function agentTool<const S extends Schema | undefined = undefined, const Name extends string = string>(
  options: AgentToolOptions<S, Name>,
): Tool<unknown, Name, AgentToolArguments<S>> {
  check(agentToolSchema(), options as AnyAgentToolOptions, "agentTool");
  const given = options as AnyAgentToolOptions;
  const problem = problemOf(given);
  if (problem !== undefined) throw configError(`agentTool: ${problem}`);
  const fixed = typeof given.agent === "function" ? undefined : given.agent;
  if (fixed) {
    checkSessionless(fixed);
    checkNesting(fixed, given.maxDepth ?? MAX_DEPTH);
  }
  const name = given.name ?? (fixed ? toolNameOf(fixed.name) : "call_agent");
  const snapshots = new WeakMap<object, Map<string, Snapshot>>();

  const execute = (input: JsonObject, ctx: AnyToolContext): Promise<ToolReturn> | ToolReturn => {
    const { message } = input;
    const isBlank = !given.input && (typeof message !== "string" || message.trim() === "");
    if (isBlank) return toolError("Message is required");
    const request = { input, callId: ctx.callId, parentId: ctx.sessionId, context: ctx.context };
    const agent = agentFor(given, request);
    return runInner({
      options: given,
      agent,
      part: sessionPart(given.session, agent.name, request),
      input: given.prompt ? given.prompt(input as never) : (message as string),
      ctx,
      snapshots: snapshotsOf(snapshots, ctx),
    });
  };
  noteAgent(execute, fixed);
  onLeft(execute, (left) => {
    const { call, host } = left;
    const request = { input: call.input, callId: call.id, parentId: host.sessionId, context: host.context() };
    return closeNestedAgents(agentFor(given, request), left);
  });
  return defineTool({
    name,
    description:
      given.description ??
      fixed?.toolOptions?.description ??
      `Asks the agent '${fixed?.name ?? name}', and returns its answer.`,
    input: inputOf(given),
    onRestart: "retry",
    execute: execute as never,
    ...(given.session !== undefined && given.session !== "perCall" && { maxParallel: 1 }),
    ...(given.execution && { execution: given.execution }),
  }) as never;
}

/** The sessions that agents behind a tool keep for one parent. */
function snapshotsOf(
  all: WeakMap<object, Map<string, Snapshot>>,
  ctx: AnyToolContext,
): Map<string, Snapshot> {
  const host = outerCallOf(ctx)?.host;
  const sessions = (host && all.get(host)) ?? new Map<string, Snapshot>();
  if (host) all.set(host, sessions);
  return sessions;
}

const MAX_LENGTH = 200;

/** Throws `config/invalid` for what cannot stand behind the id of the parent. */
function checkPart(part: unknown): asserts part is string {
  const isText = typeof part === "string" && part !== "" && part.length <= MAX_LENGTH && part.isWellFormed();
  const parts = isText ? part.split("/") : [];
  if (parts.length > 0 && parts.every((each) => each !== "" && each !== "." && each !== "..")) return;
  throw configError(
    `The id of an inner session is ${JSON.stringify(part) ?? String(part)}; expected 1 to ${MAX_LENGTH} characters without empty parts, "." and ".." between its "/".`,
  );
}

/** Returns the place where the agent of a call works: the part of the id of its session behind that of the parent. It always lies below the
 *  parent. */
function sessionPart(
  session: AnyAgentToolOptions["session"],
  agent: string,
  request: AgentToolRequest,
): string {
  if (typeof session === "function") {
    const part = session(request);
    checkPart(part);
    return part;
  }
  if (session !== "perName") return request.callId;
  const { session_id: asked } = request.input as { readonly session_id?: string };
  if (asked === undefined || asked === "" || asked === agent) return agent;
  const part = asked.startsWith(`${agent}/`) ? asked : `${agent}/${asked}`;
  checkPart(part);
  return part;
}
