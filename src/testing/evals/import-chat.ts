import { createAgent } from "../../agent/create-agent.ts";
import { AgentError, configError } from "../../core/base/error.ts";
import { defineTool } from "../../core/tool/define.ts";
import { suspend } from "../../core/tool/suspend.ts";
import type { Agent } from "../../agent/types.ts";
import type { AnyTool } from "../../core/tool/types.ts";
import type { Hook } from "../../core/hook/types.ts";
import type { SessionStore } from "../../store/port.ts";
import { scriptedModel } from "../scripted-model.ts";
import type { Chat } from "./chat-log.ts";
import { expectedOf, planOf, tracesOf, type ChatPlan } from "./plan-chat.ts";

/** Options of {@link importChat}. */
export type ImportChatOptions = {
  /** The id of the session; default: the name of the conversation. */
  readonly sessionId?: string | undefined;
  /** The name of the agent; default `imported`. */
  readonly agent?: string | undefined;
  /** True for the output of a call that has failed: a chat log does not say so. Default: none has. */
  readonly isFailure?: ((output: string, tool: string) => boolean) | undefined;
};

/**
 * Stores a conversation that another program has recorded as a session, and returns its id. The session is made by the chart: a model that
 * answers as recorded and tools that return what was recorded, so that it can be inspected, audited with rules, forked and run again like any
 * other. Nothing is called. A call at the end without a result is suspended. Times are those of the import: a log has none.
 *
 * Rejects with `session/conflict` if the session exists, and with `config/invalid`, naming the message, for a conversation that no agent
 * could have had: nothing is stored then.
 *
 * @example
 * ```ts
 * import { readFileSync } from "node:fs";
 * import { chatsOf, importChat } from "agentchart/evals";
 * import { fileStore } from "agentchart/store/file";
 *
 * export async function importAll(file: string): Promise<void> {
 *   const store = fileStore({ dir: "./sessions" });
 *   for (const chat of chatsOf(readFileSync(file, "utf8"), file)) await importChat(store, chat);
 * }
 * ```
 */
export async function importChat(
  store: SessionStore,
  chat: Chat,
  { sessionId = chat.name, agent: name = "imported", isFailure = () => false }: ImportChatOptions = {},
): Promise<string> {
  const plan = planOf(chat);
  const exists = (): AgentError =>
    new AgentError("session/conflict", `Session '${sessionId}' exists already.`);
  if ((await store.load(sessionId)) !== undefined) throw exists();
  const answers = plan.steps.flatMap((step) => (step.kind === "turn" ? step.answers : []));
  const left = { answers: 0 };
  const agent = createAgent({
    name,
    sysPrompt: plan.system,
    model: scriptedModel(answers, { name: chat.model ?? "unknown" }),
    tools: plan.tools.map((tool) => recordedTool(tool, plan, isFailure)),
    hooks: [endOfLog(left)],
    maxIters: answers.length + 1,
    compaction: false,
    store,
    sessionId,
    meta: { imported: true, ...chat.meta },
  } as never) as Agent;
  await agent.open(); // what another has made since is not deleted
  if ((await agent.messages()).length > 0) {
    await agent.close();
    throw exists();
  }
  try {
    for (const step of plan.steps) {
      if (step.kind === "observe") await agent.observe(step.messages);
      else {
        left.answers = step.answers.length;
        await agent.call(step.input);
      }
    }
    checkSame(chat, plan, await agent.messages());
  } catch (error) {
    await agent.close();
    const isTaken = AgentError.is(error) && error.code === "session/lease-lost"; // another process has the session now
    if (!isTaken) await store.delete(sessionId);
    throw error;
  }
  await agent.close();
  return sessionId;
}

/** A tool that returns what was recorded. */
function recordedTool(
  name: string,
  { outputs }: ChatPlan,
  isFailure: NonNullable<ImportChatOptions["isFailure"]>,
): AnyTool {
  return defineTool({
    name,
    description: `Was called in the imported conversation.`,
    input: { type: "object" },
    execute: (_, { callId }) => {
      const output = outputs.get(callId);
      if (output === undefined) return suspend("The imported conversation has no result.");
      const text = output.map((block) => (block.type === "text" ? block.text : "")).join("");
      return { output, state: isFailure(text, name) ? "error" : "success" };
    },
  });
}

/** Ends a turn whose log ends with results: a model is not asked for what nobody has recorded. */
function endOfLog(left: { answers: number }): Hook {
  return {
    name: "end of the log",
    postReasoning: () => {
      left.answers--;
    },
    postActing: () => (left.answers === 0 ? { stop: true } : undefined),
  };
}

function checkSame(chat: Chat, plan: ChatPlan, messages: Awaited<ReturnType<Agent["messages"]>>): void {
  const [made, wanted] = [tracesOf(messages), expectedOf(plan)];
  const at = wanted.findIndex((trace, index) => trace !== made[index]);
  if (at < 0 && made.length === wanted.length) return;
  const found = made[at < 0 ? wanted.length : at] ?? "nothing";
  throw configError(
    `The chat '${chat.name}' became another session: expected ${(wanted[at] ?? "its end").slice(0, 200)}; got ${found.slice(0, 200)}.`,
  );
}
