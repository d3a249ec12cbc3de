import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  AgentError,
  createAgent,
  createToolkit,
  defineTool,
  REASONS,
  textOf,
  userMsg,
  type ChatModel,
  type Execution,
  type Json,
  type JsonObject,
  type Msg,
  type SessionStore,
} from "agentchart";
import { EXECUTION_DEFAULTS, mergeExecution, mergeOptions } from "../../../../src/core/model/execution.ts";
import { toChatMessages, toChatRequest } from "agentchart/openai";
import { fileStore } from "agentchart/store/file";
import { memoryStore } from "agentchart/store/memory";
import {
  type InputMsg,
  type NormalChoice,
  type NormalOptions,
  type NormalExecution,
  notOffered,
} from "./shapes.ts";
import { textOfResult, toMsg } from "./messages.ts";
import { toOptions, normalOptions, toExecution, orNull } from "./options.ts";
import { modelError } from "./model.ts";

type GroupStep = { create?: string; update?: string; active?: boolean };
type RequestSpec = {
  model: string;
  options?: NormalOptions | null;
  defaults?: NormalOptions | null;
  tools?: { name: string; description?: string; schema: JsonObject }[];
  toolChoice?: NormalChoice;
  messages?: InputMsg[];
};

const OTHER_SERVER = "http://localhost/v1"; // the field names that AgentScope sends are those of servers other than OpenAI's own

/** What a tool that returns `value` answers to this input. */
async function answerOf(schema: JsonObject, value: Json, input: JsonObject = {}): Promise<string> {
  const tool = defineTool({ name: "give", description: "", input: schema, execute: () => value });
  return textOfResult(await createToolkit({ tools: [tool] }).invoke("give", input));
}

type SessionStep = { readonly save?: string; readonly delete?: string };

type MemoryStep =
  | { readonly add: string }
  | { readonly addNull: true }
  | { readonly clear: true }
  | { readonly delete: number };

/** AgentScope's "memory" and "json" sessions are our stores in memory and in files. */
export function openSession(kind: "memory" | "json"): SessionStore {
  return kind === "memory"
    ? memoryStore()
    : fileStore({ dir: mkdtempSync(join(tmpdir(), "agentchart-conformance-")) });
}

const silent: ChatModel = { name: "none", async *stream() {} };

export const unit = {
  mergeOptions: (primary: NormalOptions | null, fallback: NormalOptions | null): NormalOptions | null => {
    const executions = [primary, fallback].map((each) => each?.execution as Execution | undefined);
    const execution = orNull(mergeExecution(...executions) as NormalExecution);
    const options = mergeOptions(primary && toOptions(primary), fallback && toOptions(fallback));
    return orNull({ ...normalOptions(options), ...(execution && { execution }) });
  },
  mergeExecution: (primary: Execution | null, fallback: Execution | null) =>
    orNull(mergeExecution(primary, fallback)),
  makeExecution: (execution: NormalExecution) => {
    createAgent({ name: "check", model: silent, modelOptions: { execution: toExecution(execution) } });
    return execution;
  },
  isRetryable: (error: { kind: string } | string) => {
    const thrown = modelError({ message: "", ...(typeof error === "string" ? { kind: error } : error) });
    return (thrown as AgentError).isRetryable;
  },
  executionDefaults: (kind: "model" | "tool") => EXECUTION_DEFAULTS[kind],
  groups: (steps: GroupStep[]) => {
    const toolkit = createToolkit();
    for (const { create, update, active = true, ...other } of steps) {
      if (Object.keys(other).length > 0) notOffered(Object.keys(other).join());
      if (create !== undefined) toolkit.addGroup({ name: create, active });
      if (update !== undefined) toolkit.setGroups({ [active ? "activate" : "deactivate"]: [update] });
    }
    return { active: toolkit.activeGroups() };
  },
  validateInput: async (schema: JsonObject | null, input: JsonObject) => {
    try {
      const text = await answerOf(schema ?? {}, "valid", input);
      return text === "valid" ? null : text;
    } catch (error) {
      return (error as AgentError).message; // no schema of arguments
    }
  },
  convertReturn: (value: Json) => answerOf({}, value),
  sessionKeys: async (kind: "memory" | "json", steps: SessionStep[]) => {
    const session = openSession(kind);
    const agent = createAgent({ name: "keys", model: silent });
    const exists: { [key: string]: boolean } = {};
    for (const { save, delete: gone } of steps) {
      if (save !== undefined) await agent.saveTo(session, save);
      if (gone !== undefined) await session.delete(gone);
      for (const key of [save, gone])
        if (key !== undefined) exists[key] = (await session.load(key)) !== undefined;
    }
    return { keys: (await session.list()).sessions.map(({ sessionId }) => sessionId), exists };
  },
  // a transcript only grows: to be without a message is to be an agent that begins with the others
  memory: async (steps: MemoryStep[]) => {
    const agentWith = (messages: readonly Msg[]) => createAgent({ name: "memory", model: silent, messages });
    let agent = agentWith([]);
    for (const step of steps) {
      if ("add" in step) await agent.observe(userMsg(step.add));
      if ("addNull" in step) await agent.observe([]);
      if ("clear" in step) agent = agentWith([]);
      if ("delete" in step)
        agent = agentWith((await agent.messages()).filter((_, index) => index !== step.delete));
    }
    return (await agent.messages()).map(textOf);
  },
  msgText: (message: InputMsg) => textOf(toMsg(message)),
  generateReasons: () => REASONS,
  formatOpenAI: (messages: InputMsg[]) => toChatMessages(messages.map(toMsg)).map(flattened),
  formatOpenAIMulti: (messages: InputMsg[]) =>
    toChatMessages(messages.map(toMsg), { formatter: "multiAgent" }).map(flattened),
  openAIRequest: ({ model, options, defaults, tools = [], toolChoice, messages = [] }: RequestSpec) => {
    const merged = unit.mergeOptions({ ...options, ...(toolChoice && { toolChoice }) }, defaults ?? null);
    const { maxCompletionTokens, parallelToolCalls, ...known } = { ...merged };
    const isCompletion = maxCompletionTokens !== undefined;
    const said = toOptions({ ...known, ...(isCompletion && { maxTokens: maxCompletionTokens }) });
    const extraBody = { ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }) };
    return toChatRequest(
      {
        messages: messages.map(toMsg),
        tools: tools.map(({ name, description = "", schema }) => ({
          name,
          description,
          inputSchema: schema,
        })),
        options: mergeOptions(said, { extraBody }),
        execution: {},
      },
      { model, baseURL: OTHER_SERVER, ...(isCompletion && { maxTokensField: "max_completion_tokens" }) },
    );
  },
};

function flattened<T extends { readonly content?: unknown }>(message: T): T {
  const { content } = message;
  return Array.isArray(content)
    ? { ...message, content: content.map(({ text = "" }) => text).join("\n") }
    : message;
}
