import { isObject, parsedJson } from "../core/base/json.ts";

/** A tool call in a message. */
export type ChatCompletionsToolCall = {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
};

/** A message of a request. */
export type ChatCompletionsMessage = {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool";
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[] | null;
  readonly tool_calls?: readonly ChatCompletionsToolCall[];
  readonly tool_call_id?: string;
  readonly [field: string]: unknown;
};

/** The body of a request, as it was received. Only the fields that are named here have been checked. */
export type ChatCompletionsRequest = {
  readonly model: string;
  readonly messages: readonly ChatCompletionsMessage[];
  readonly tools?: readonly {
    readonly type: "function";
    readonly function: { readonly name: string; readonly description?: string; readonly parameters?: object };
  }[];
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean } | null;
  readonly [field: string]: unknown;
};

/** Returns the request in a body, or the problem of the body. */
export function parseRequest(body: string): ChatCompletionsRequest | string {
  try {
    const request: unknown = JSON.parse(body);
    return typeof request === "object" && request !== null
      ? (request as ChatCompletionsRequest)
      : "The body is not a JSON object";
  } catch (error) {
    return `The body is not JSON: ${(error as Error).message}`;
  }
}

const ROLES = new Set(["system", "developer", "user", "assistant", "tool"]);

/** Returns why a provider would refuse the request; undefined if it would not. */
export function problemOf(request: ChatCompletionsRequest): string | undefined {
  const { model, messages, tools, tool_choice } = request;
  if (typeof model !== "string" || model === "") return "you must provide a model parameter";
  if (!Array.isArray(messages) || messages.length === 0)
    return "'messages' must be an array that is not empty";
  if (tools !== undefined && !(Array.isArray(tools) && tools.length > 0)) return "[] is too short - 'tools'";
  if (tool_choice !== undefined && !tools) return "'tool_choice' is only allowed when 'tools' are specified";
  let open: string[] = [];
  for (const [index, message] of (messages as readonly ChatCompletionsMessage[]).entries()) {
    if (!ROLES.has(message?.role)) return `messages.${index}.role is unknown`;
    if (message.role === "tool") {
      if (!open.includes(message.tool_call_id ?? "")) {
        return `messages.${index}: role 'tool' must be a response to a preceding message with 'tool_calls'`;
      }
      open = open.filter((id) => id !== message.tool_call_id);
    } else {
      if (open.length > 0) return unanswered(open);
      const calls = message.tool_calls ?? [];
      if (!Array.isArray(calls)) return `messages.${index}.tool_calls is not a list`;
      if (calls.some((call) => !isObject(parsedJson(call?.function?.arguments)))) {
        return `messages.${index}: arguments are not a JSON object`;
      }
      if (message.content === undefined && calls.length === 0) return `messages.${index}.content is missing`;
      open = calls.map(({ id }) => id);
    }
  }
  return open.length > 0 ? unanswered(open) : undefined;
}

function unanswered(ids: readonly string[]): string {
  return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. Without response: ${ids.join(", ")}`;
}
