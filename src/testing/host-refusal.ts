import { isObject } from "../core/base/json.ts";
import { problemOf, type ChatCompletionsRequest } from "./chat-completions-request.ts";
import { toolsProblem, type OfferedTool, type EmulatedHost } from "./host-tools.ts";

type Fields = { readonly [field: string]: unknown };
type Message = {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_call_id?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string } }[];
};

/**
 * Returns why a host refuses the body of a request, in about its own words; undefined if it takes it.
 *
 * What is refused is known from the documentation of each host and from the errors that its users report: forms and lengths of ids,
 * the order of roles, empty messages, limits of tools, names, descriptions, schemas, missing thinking. A host may refuse more.
 *
 * @example
 * ```ts
 * import { userMsg } from "agentchart";
 * import { toChatRequest } from "agentchart/openai";
 * import { hostRefusal } from "agentchart/testing";
 *
 * const request = { messages: [userMsg("Hello!")], tools: [], options: {}, execution: {} };
 * console.log(hostRefusal("mistral", toChatRequest(request, { model: "m", dialect: "mistral" }))); // undefined
 * ```
 */
export function hostRefusal(host: EmulatedHost, body: object): string | undefined {
  const fields = body as Fields;
  if ("contents" in fields) return geminiRefusal(fields);
  if ("input" in fields) return responsesRefusal(host, fields);
  return host === "anthropic" && !isChat(fields) ? messagesRefusal(fields) : chatRefusal(host, fields);
}

/** Returns the parts of a list as objects; anything else in it becomes one without fields. */
const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.map((each: unknown) => (isObject(each) ? each : {})) : [];

/** True for Chat Completions, where results are messages and tools are functions. */
const isChat = ({ messages, tools, stream_options: options }: Fields): boolean =>
  options !== undefined ||
  listOf(messages).some(({ role }) => role === "tool" || role === "system") ||
  listOf(tools).some((tool) => "function" in tool);

// Chat Completions

function chatRefusal(host: EmulatedHost, body: Fields): string | undefined {
  const request = body as unknown as ChatCompletionsRequest;
  const messages = request.messages as readonly Message[];
  const tools = listOf(body["tools"]).map((tool): OfferedTool => {
    const { name, description, parameters } = (tool["function"] ?? {}) as Fields;
    return { name, description, schema: parameters };
  });
  return (
    problemOf(request) ??
    choiceProblem(host, body["tool_choice"], tools) ??
    toolsProblem(host, tools) ??
    idsProblem(host, messages) ??
    namesProblem(host, messages) ??
    orderProblem(host, messages) ??
    contentProblem(host, messages)
  );
}

function choiceProblem(
  host: EmulatedHost,
  choice: unknown,
  tools: readonly OfferedTool[],
): string | undefined {
  if (!isObject(choice)) return undefined;
  if (host === "lmstudio")
    return "Invalid tool_choice type: 'object'. Supported string values: none, auto, required";
  const { name } = ((choice as Fields)["function"] ?? {}) as Fields;
  return tools.some((tool) => tool.name === name)
    ? undefined
    : `Tool choice ${String(name)} is not in 'tools'`;
}

const callsOf = ({ tool_calls: calls }: Message) => calls ?? [];

function idsProblem(host: EmulatedHost, messages: readonly Message[]): string | undefined {
  const ids = messages.flatMap((message) => callsOf(message).map(({ id }) => id));
  const all = [...ids, ...messages.flatMap(({ tool_call_id: id }) => id ?? [])];
  if (all.some((id) => typeof id !== "string" || id === "")) return "tool call id is missing";
  if (new Set(ids).size < ids.length) return "`tool_use` ids must be unique";
  const bad = all.find((id) => !idFits(host, id));
  return bad === undefined ? undefined : idMessage(host, bad);
}

function idFits(host: EmulatedHost, id: string): boolean {
  if (host === "mistral") return /^[a-zA-Z0-9]{9}$/.test(id);
  if (host === "anthropic") return /^[a-zA-Z0-9_-]+$/.test(id);
  return !["openai", "azure", "openrouter"].includes(host) || id.length <= 40;
}

function idMessage(host: EmulatedHost, id: string): string {
  if (host === "mistral") return `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`;
  if (host === "anthropic") return `tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$': ${id}`;
  return `Invalid 'tool_calls[0].id': string too long. Expected a string with maximum length 40, but got ${id.length}.`;
}

function namesProblem(host: EmulatedHost, messages: readonly Message[]): string | undefined {
  const pattern = host === "gemini" ? /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/ : /^[a-zA-Z0-9_-]{1,64}$/;
  const isFree = ["vllm", "ollama", "llama.cpp", "lmstudio"].includes(host);
  const names = messages.flatMap((message) => callsOf(message).map((call) => call.function.name));
  const bad = isFree ? undefined : names.find((name) => !pattern.test(name));
  return bad === undefined ? undefined : `Invalid 'tool_calls[0].function.name': ${bad}`;
}

/** The roles that may follow on a message, as Mistral's validator has it. */
const AFTER: { readonly [role: string]: readonly string[] } = {
  system: ["user", "assistant", "system"],
  user: ["assistant", "system", "user"],
  assistant: ["assistant", "user", "tool"],
  tool: ["assistant", "tool"],
};

function orderProblem(host: EmulatedHost, messages: readonly Message[]): string | undefined {
  const roles = messages.map(({ role }) => role);
  const last = roles.at(-1);
  if (host === "mistral") {
    if (roles[0] !== "user" && roles[0] !== "system")
      return "Conversation must start with a user message or a system message";
    const at = roles.findIndex((role, index) => index > 0 && !AFTER[roles[index - 1]!]?.includes(role));
    if (at > 0) return `Unexpected role '${roles[at]}' after role '${roles[at - 1]}'`;
    if (last !== "user" && last !== "tool")
      return `Expected last role User or Tool (or Assistant with prefix True) for serving but got ${last}`;
  }
  if (host === "anthropic" && last === "assistant")
    return "This model does not support assistant message prefill. The conversation must end with a user message.";
  if (host === "gemini" && last === "assistant")
    return "Please ensure that multiturn requests end with a user role";
  return undefined;
}

function contentProblem(host: EmulatedHost, messages: readonly Message[]): string | undefined {
  for (const [index, message] of messages.entries()) {
    const isEmpty = ((message.content ?? "") as string | readonly unknown[]).length === 0;
    const isAnswer = message.role === "assistant";
    if (host === "mistral" && isAnswer && isEmpty && callsOf(message).length === 0)
      return "Assistant message must have either content or tool_calls, but not none.";
    const isBlank = typeof message.content === "string" && message.content.trim() === "";
    if (
      host === "anthropic" &&
      isBlank &&
      (message.role === "user" || (isAnswer && callsOf(message).length === 0))
    )
      return `messages.${index}: text content blocks must contain non-whitespace text`;
    const isThinking = host === "deepseek" || host === "moonshot";
    if (isThinking && callsOf(message).length > 0 && !message.reasoning_content)
      return `Missing \`reasoning_content\` field in the assistant message at message index ${index}`;
  }
  return undefined;
}

// Responses

function responsesRefusal(host: EmulatedHost, { input, tools }: Fields): string | undefined {
  const items = listOf(input);
  const functions = listOf(tools).filter(({ type }) => type === "function");
  const calls = items.filter(({ type }) => type === "function_call");
  const outputs = items.filter(({ type }) => type === "function_call_output");
  const ids = calls.map((call) => call["call_id"]);
  const long = [...ids, ...outputs.map((output) => output["call_id"])].find((id) => String(id).length > 64);
  if (long !== undefined)
    return "Invalid 'input[0].call_id': string too long. Expected a string with maximum length 64";
  if (new Set(ids).size < ids.length) return "Duplicate item found with call_id";
  const lonely = ids.find((id) => !outputs.some((output) => output["call_id"] === id));
  if (lonely !== undefined) return `No tool output found for function call ${String(lonely)}.`;
  const made = outputs.find((output) => !ids.includes(output["call_id"]));
  if (made) return `No tool call found for function call output with call_id ${String(made["call_id"])}.`;
  const name = calls.find((call) => !/^[a-zA-Z0-9_-]{1,64}$/.test(String(call["name"])));
  if (name) return `Invalid 'input[0].name': ${String(name["name"])}`;
  return toolsProblem(
    host,
    functions.map((tool) => ({
      name: tool["name"],
      description: tool["description"],
      schema: tool["parameters"],
    })),
  );
}

// Anthropic's Messages

function messagesRefusal({ messages, tools }: Fields): string | undefined {
  const all = listOf(messages);
  if (all.length === 0) return "messages: at least one message is required";
  if (all[0]!["role"] !== "user") return 'messages: first message must use the "user" role';
  if (all.at(-1)!["role"] !== "user")
    return "This model does not support assistant message prefill. The conversation must end with a user message.";
  const seen = new Set<unknown>();
  let open: readonly unknown[] = [];
  for (const [index, { role, content }] of all.entries()) {
    const at = `messages.${index}`;
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
    if (blocks.length === 0) return `${at}: content must not be empty`;
    const problem = blocks.map((block) => blockProblem(block, seen)).find((each) => each !== undefined);
    if (problem !== undefined) return `${at}: ${problem}`;
    const results = blocks.filter(({ type }) => type === "tool_result").map((block) => block["tool_use_id"]);
    const missing = open.find((id) => !results.includes(id));
    if (missing !== undefined)
      return `${at}: \`tool_use\` ids were found without \`tool_result\` blocks: ${String(missing)}`;
    const made = results.find((id) => !open.includes(id));
    if (made !== undefined)
      return `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(made)}`;
    open = role === "assistant" ? blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id) : [];
  }
  const offered = listOf(tools).filter((tool) => "input_schema" in tool);
  return toolsProblem(
    "anthropic",
    offered.map((tool) => ({
      name: tool["name"],
      description: tool["description"],
      schema: tool["input_schema"],
    })),
  );
}

function blockProblem(block: Fields, seen: Set<unknown>): string | undefined {
  const { type, text, id, name, content } = block;
  if (type === "text" && String(text).trim() === "")
    return "text content blocks must contain non-whitespace text";
  if (type === "tool_result" && block["is_error"] === true && (content as string | undefined)?.length === 0)
    return "content cannot be empty if `is_error` is true";
  if (type !== "tool_use") return undefined;
  if (!/^[a-zA-Z0-9_-]+$/.test(String(id)))
    return `tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$': ${String(id)}`;
  if (seen.has(id)) return "`tool_use` ids must be unique";
  seen.add(id);
  return /^[a-zA-Z0-9_-]{1,128}$/.test(String(name)) ? undefined : `tool_use.name: ${String(name)}`;
}

// Gemini's generateContent

function geminiRefusal({ contents, tools }: Fields): string | undefined {
  const all = listOf(contents);
  if (all.length === 0) return "contents is not specified";
  if (all[0]!["role"] !== "user") return "Please ensure that multiturn requests begin with a user role";
  if (all.at(-1)!["role"] === "model") return "Please ensure that multiturn requests end with a user role";
  for (const [index, content] of all.entries()) {
    const parts = listOf(content["parts"]);
    if (parts.length === 0) return `contents[${index}].parts must not be empty`;
    if (parts.some((part) => part["text"] === "" && !("thoughtSignature" in part)))
      return `contents[${index}].parts: required oneof field 'data' must have one initialized field`;
    const calls = listOf(parts.flatMap((part) => ("functionCall" in part ? [part["functionCall"]] : [])));
    const name = calls.find((call) => !/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/.test(String(call["name"])));
    if (name)
      return `contents[${index}].parts.function_call.name: Invalid function name ${String(name["name"])}`;
    if (calls.length === 0) continue;
    const answers = listOf(all[index + 1]?.["parts"]).filter((part) => "functionResponse" in part);
    if (answers.length !== calls.length)
      return "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
  }
  const declared = listOf(tools).flatMap((tool) => listOf(tool["functionDeclarations"]));
  return toolsProblem(
    "gemini",
    declared.map((tool) => ({
      name: tool["name"],
      description: tool["description"],
      schema: tool["parameters"],
    })),
  );
}
