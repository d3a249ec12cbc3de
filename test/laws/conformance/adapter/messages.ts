import { randomUUID } from "node:crypto";
import type { Block, JsonObject, Msg, Reply, ToolResultBlock, ToolUseBlock, Usage } from "agentchart";
import {
  type NormalBlock,
  type NormalMsg,
  type InputBlock,
  type InputMsg,
  type NormalUsage,
  notOffered,
} from "./shapes.ts";

/** The message a normal form was made from; it survives the spread by which the runner rewrites a message. */
const ORIGIN = Symbol("origin");
const unchanged = new WeakMap<object, Msg>();

export function textOfResult(result: ToolResultBlock): string {
  return result.output.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

export function normalResult(result: ToolResultBlock): NormalBlock {
  const { id, name, state } = result;
  return { type: "tool_result", id, name, text: textOfResult(result), suspended: state === "suspended" };
}

export function normalCall({ id, name, input }: ToolUseBlock): NormalBlock {
  return { type: "tool_use", id, name, input };
}

function normalBlock(block: Block): NormalBlock {
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type === "thinking") return { type: "thinking", text: block.thinking };
  if (block.type === "tool_use") return normalCall(block);
  if (block.type === "tool_result") return normalResult(block);
  return notOffered(block.type);
}

export function normalUsage(usage: Usage | undefined): NormalUsage | undefined {
  if (!usage || usage.estimated || (usage.inputTokens ?? usage.outputTokens) === undefined) return undefined;
  const { inputTokens, outputTokens, durationMs } = usage;
  return {
    ...(inputTokens !== undefined && { input: inputTokens }),
    ...(outputTokens !== undefined && { output: outputTokens }),
    ...(durationMs !== undefined && { time: durationMs / 1_000 }),
  };
}

export function normal(msg: Msg, more: object = {}): NormalMsg {
  const { role, name, content, reason, metadata, usage } = msg;
  const form = {
    role,
    name,
    blocks: content.map(normalBlock),
    reason,
    metadata,
    usage: normalUsage(usage),
    ...more,
    [ORIGIN]: msg,
  };
  unchanged.set(form, msg);
  return form;
}

/** Raw arguments are the input if they can be read; else they stand beside it. */
function inputOf(input: JsonObject, raw: string | undefined): Pick<ToolUseBlock, "input" | "rawInput"> {
  if (raw === undefined) return { input };
  try {
    const read: unknown = JSON.parse(raw);
    if (typeof read === "object" && read !== null && !Array.isArray(read))
      return { input: read as JsonObject };
  } catch {
    // no JSON
  }
  return { input, rawInput: raw };
}

function blockOf(block: InputBlock): Block {
  const { type, id = "", name = "", text = "", raw } = block;
  if (type === "text") return { type, text };
  if (type === "thinking") return { type, thinking: block.thinking ?? text };
  if (type === "tool_use") return { type, id, name, ...inputOf(block.input ?? {}, raw) };
  if (type !== "tool_result") return notOffered(type);
  const output = (block.output ?? [text]).map((each) => ({ type: "text" as const, text: each }));
  return { type, id, name, output, state: block.suspended ? "suspended" : "success" };
}

export function toMsg(message: InputMsg): Msg {
  const known = unchanged.get(message);
  if (known) return known;
  const { role, name = role, metadata = {}, text = "" } = message;
  const origin = (message as { [ORIGIN]?: Msg })[ORIGIN];
  const content = (message.content ?? message.blocks ?? [{ type: "text", text }]).map(blockOf);
  return { id: randomUUID(), timestamp: Date.now(), ...origin, role, name, metadata, content };
}

export function normalReply(reply: Reply<unknown>): NormalMsg {
  return normal(reply, { structured: reply.output ?? null });
}
