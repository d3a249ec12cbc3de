import * as z from "zod";
import { configError, messageOf } from "../../core/base/error.ts";
import { parsedJson, isObject } from "../../core/base/json.ts";
import { linesOf } from "./lines.ts";

const part = z.discriminatedUnion("type", [
  z.object({ type: z.enum(["text", "input_text", "output_text"]), text: z.string() }),
  z.object({ type: z.literal("refusal"), refusal: z.string() }),
  z.object({ type: z.literal("image_url"), image_url: z.object({ url: z.string().min(1) }) }),
]);
const content = z.union([z.string(), z.array(part)], { error: "expected a text, or an array of parts" });
const named = z.object({
  name: z.string().regex(/^[\w-]{1,64}$/, 'expected 1 to 64 letters, digits, "_" or "-"'),
  arguments: z.string(),
});
const toolCall = z.object({
  id: z.string().min(1),
  function: named,
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
    function_call: named.nullish(),
  }),
  z.object({ role: z.literal("tool"), tool_call_id: z.string().min(1), content }),
  z.object({ role: z.literal("function"), name: z.string().min(1), content: content.nullable() }),
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

/** A message of a chat log, in the format of OpenAI's Chat Completions API, or in that of its early years with `function_call`. */
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

function jsonOf(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw configError(`${place} is not JSON: ${messageOf(cause)}`, { cause });
  }
}

function read<Read>(schema: z.ZodType<Read>, value: unknown, place: string): Read {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  const { path, message: problem } = deepest(error.issues[0]!);
  const where = z.core.toDotPath([...path]);
  throw configError(`${place}${where === "" ? "" : `, ${where}`}: ${problem}`, { cause: error });
}

type Issue = { readonly path: readonly PropertyKey[]; readonly message: string };

/** The problem that is furthest inside: of a value that may have several forms, what is wrong with the form that it looks like. */
function deepest(issue: z.core.$ZodIssue): Issue {
  if (issue.code !== "invalid_union") return issue;
  const inner = issue.errors.flatMap(([first]) => (first ? [deepest(first)] : []));
  const [found] = inner.toSorted((a, b) => b.path.length - a.path.length);
  return found === undefined || found.path.length === 0
    ? issue
    : { path: [...issue.path, ...found.path], message: found.message };
}

const isMessage = (value: unknown): boolean => isObject(value) && "role" in value;

/** The trajectory of tau-bench, or a conversation of OpenAI's format; the one that it looks like is the one that it must be. */
function chatOf(value: unknown, place: string, name: string): Chat {
  if (Array.isArray(value)) return chatOf({ messages: value }, place, name);
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
 * with messages of OpenAI's Chat Completions API, only the array of them, or a trajectory of tau-bench, `{ task_id, trial, traj }`. A
 * conversation without an id is named after its place, such as `chat-1`. Throws `config/invalid` with the line or the place of the first
 * one that is wrong; `from` names the file.
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
  const lines = linesOf(text);
  if (lines.length === 0) throw configError(`${from} is empty: expected JSON, or an object a line.`);
  if (lines.length > 1 && parsedJson(lines[0]!.line) !== undefined)
    return lines.map((line) => chatOfLine(line, from));
  const value = jsonOf(text.trim(), lines.length > 1 ? from : `${from}, line ${lines[0]!.number}`);
  if (!Array.isArray(value) || isMessage(value[0])) {
    const place = lines.length > 1 ? from : `${from}, line ${lines[0]!.number}`;
    return [chatOf(value, place, "chat-1")];
  }
  if (value.length === 0) throw configError(`${from} holds no conversation.`);
  return value.map((each, at) => chatOf(each, `${from}, [${at}]`, `chat-${at + 1}`));
}

function chatOfLine(
  { line, number }: { readonly line: string; readonly number: number },
  from: string,
): Chat {
  const place = `${from}, line ${number}`;
  return chatOf(jsonOf(line, place), place, `chat-${number}`);
}
