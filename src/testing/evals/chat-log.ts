import * as z from "zod";
import { AgentError, messageOf } from "../../core/base/error.ts";
import { linesOf } from "./lines.ts";

const part = z.union([
  z.object({ type: z.enum(["text", "input_text", "output_text"]), text: z.string() }),
  z.object({ type: z.literal("image_url"), image_url: z.object({ url: z.string().min(1) }) }),
]);
const content = z.union([z.string(), z.array(part).min(1)]);
const toolCall = z.object({
  id: z.string().min(1),
  function: z.object({
    name: z.string().regex(/^[\w-]{1,64}$/, 'expected 1 to 64 letters, digits, "_" or "-"'),
    arguments: z.string(),
  }),
});
const message = z.discriminatedUnion("role", [
  z.object({ role: z.enum(["system", "developer"]), content }),
  z.object({ role: z.literal("user"), content, name: z.string().optional() }),
  z.object({
    role: z.literal("assistant"),
    content: content.nullish(),
    refusal: z.string().nullish(),
    reasoning_content: z.string().nullish(),
    tool_calls: z.array(toolCall).nullish(),
  }),
  z.object({ role: z.literal("tool"), tool_call_id: z.string().min(1), content }),
]);
const openAi = z.object({
  id: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
  messages: z.array(message).min(1),
});
const tau = z.object({
  task_id: z.union([z.number(), z.string()]),
  trial: z.number().optional(),
  reward: z.number().optional(),
  traj: z.array(message).min(1),
});

/** A message of a chat log, in the format of OpenAI's Chat Completions API. */
export type ChatMessage = z.infer<typeof message>;

/** A recorded conversation. */
export type Chat = {
  /** The name of the conversation, from which the id of its session is made. */
  readonly name: string;
  readonly messages: readonly ChatMessage[];
  /** The model that answered, if it is known. */
  readonly model?: string | undefined;
  /** Labels of the session. */
  readonly meta?: { readonly [label: string]: string | number } | undefined;
};

const invalid = (text: string, cause?: unknown): AgentError =>
  new AgentError("config/invalid", text, { cause });

function jsonOf(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(`${place} is no JSON: ${messageOf(cause)}`, cause);
  }
}

function read<Read>(schema: z.ZodType<Read>, value: unknown, place: string): Read {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  const [issue] = error.issues;
  const path = z.core.toDotPath(issue?.path ?? []);
  throw invalid(`${place}${path === "" ? "" : `, ${path}`}: ${issue?.message ?? "is no chat"}`, error);
}

/** The trajectory of tau-bench, or a conversation of OpenAI's format; the one that it looks like is the one that it must be. */
function chatOf(value: unknown, place: string, name: string): Chat {
  if (typeof value === "object" && value !== null && "traj" in value) {
    const { task_id: task, trial = 0, reward, traj } = read(tau, value, place);
    return {
      name: `task-${task}-trial-${trial}`,
      messages: traj,
      meta: { task, trial, ...(reward !== undefined && { reward }) },
    };
  }
  const { id = name, messages, model } = read(openAi, value, place);
  return { name: id, messages, ...(model !== undefined && { model }) };
}

/**
 * Returns the conversations of a text: a JSON array, one JSON object, or an object a line (JSON Lines). Each is `{ id?, model?, messages }`
 * with messages of OpenAI's Chat Completions API, or a trajectory of tau-bench, `{ task_id, trial, traj }`. A conversation without an id is
 * named after its place, such as `chat-1`. Throws `config/invalid` with the line or the place of the first one that is wrong; `from` names
 * the file.
 *
 * @example
 * ```ts
 * import { readFileSync } from "node:fs";
 * import { chatsOf } from "agentchart/evals";
 *
 * export const chats = () => chatsOf(readFileSync("chats.jsonl", "utf8"), "chats.jsonl");
 * ```
 */
export function chatsOf(text: string, from = "chats"): readonly Chat[] {
  const body = text.trim();
  if (body === "") throw invalid(`${from} is empty: expected JSON, or an object a line.`);
  if (body.startsWith("[")) {
    const list = jsonOf(body, from);
    return (list as readonly unknown[]).map((each, at) => chatOf(each, `${from}, [${at}]`, `chat-${at + 1}`));
  }
  const lines = linesOf(text);
  const isOne = lines.length > 1 && !isJson(lines[0]!.line);
  if (isOne) return [chatOf(jsonOf(body, from), from, "chat-1")];
  return lines.map(({ line, number }) => {
    const place = `${from}, line ${number}`;
    return chatOf(jsonOf(line, place), place, `chat-${number}`);
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
