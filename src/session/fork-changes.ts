import { AgentError } from "../core/base/error.ts";
import type { JsonObject } from "../core/base/json.ts";
import * as s from "../core/base/option-schema.ts";
import { check } from "../core/base/options.ts";
import { restoreRedacted } from "../core/base/secrets.ts";
import { toolResultsOf, toolUsesOf } from "../core/message/msg.ts";
import type { Block, Msg, ToolResultBlock, ToolUseBlock } from "../core/message/types.ts";
import { generateSchema } from "../core/model/generate-schema.ts";
import { outcomeResult } from "../core/tool/results.ts";
import type { AgentContext } from "../../machines/agent/context.ts";
import type { CallRecord } from "../../machines/agent/call-record.ts";
import type { ForkChanges, OptionChanges, Overrides } from "../../machines/agent/prompt/edits.ts";
import type { SessionState } from "./format.ts";

/** The schema of {@link ForkChanges}; its options are checked by {@link checkChanges}. */
export const changesSchema = s.lazily(() => {
  const text = s.string();
  const content = s.either(text, s.list<readonly Block[]>(), "a text or an array of blocks");
  const removal = s.value<null>((each) => each === null, "null");
  const output = s.either(text, s.list<ToolResultBlock["output"]>(), "a text or an array of blocks");
  return s.options<ForkChanges>(
    {
      system: s.optional(text),
      messages: s.optional(s.recordOf(s.either(content, removal, "a text, an array of blocks, or null"))),
      results: s.optional(s.recordOf(output)),
      arguments: s.optional(s.recordOf(s.object<JsonObject>())),
      tools: s.optional(s.listOf(s.nonEmpty(), "an array of names of tools")),
      model: s.optional(s.nonEmpty()),
      options: s.optional(s.object<OptionChanges>()),
    },
    { of: "changes" },
  );
});

/** Throws `config/invalid` for changes of another shape. */
export function checkChanges(changes: ForkChanges, from: string): void {
  check(changesSchema(), changes, from, "The changes");
  const options = Object.entries(changes.options ?? {}).filter(([, value]) => value !== null);
  check(generateSchema(), Object.fromEntries(options), `${from}: \`options\``);
}

function unfit(problem: string): AgentError {
  return new AgentError("session/bad-change", problem);
}

/** Throws `session/bad-change` for a change of a message or of a call that the session does not have. */
export function checkFit(
  { messages: all, kept: { calls } }: Pick<SessionState, "messages" | "kept">,
  changes: ForkChanges,
  at: number,
): void {
  const messages = new Map(all.map((message) => [message.id, message]));
  for (const [id, change] of Object.entries(changes.messages ?? {})) {
    const message = messages.get(id);
    if (!message) throw unfit(`There is no message '${id}' at position ${at}.`);
    const isResult = typeof change === "string" && toolResultsOf(message).length > 0;
    if (isResult)
      throw unfit(`Message '${id}' holds results of tools: change them by the ids of their calls.`);
  }
  const asked = new Set([
    ...all.flatMap(toolUsesOf).map(({ id }) => id),
    ...calls.map(({ call }) => call.id),
  ]);
  const wanted = [...Object.keys(changes.results ?? {}), ...Object.keys(changes.arguments ?? {})];
  const unknown = wanted.find((id) => !asked.has(id));
  if (unknown !== undefined) throw unfit(`There is no call '${unknown}' at position ${at}.`);
  const open = new Set(calls.flatMap(({ call, stored }) => (stored ? [] : [call.id])));
  const both = Object.keys(changes.results ?? {}).find(
    (id) => open.has(id) && Object.hasOwn(changes.arguments ?? {}, id),
  );
  if (both !== undefined)
    throw unfit(`Call '${both}' is open: change its arguments, with which it runs, or its result.`);
}

/** Returns the messages with what changes say about them; those without a change are the same objects. */
export function changedMessages(messages: readonly Msg[], changes: ForkChanges): readonly Msg[] {
  const { messages: own = {} } = changes;
  return messages.flatMap((message) => {
    const change = Object.hasOwn(own, message.id) ? own[message.id] : undefined;
    if (change === null) return [];
    const content = contentOf(message, change).map((block) => changedBlock(block, changes));
    const isSame =
      content.length === message.content.length &&
      content.every((block, index) => block === message.content[index]);
    return isSame ? [message] : [{ ...message, content }];
  });
}

function contentOf({ content }: Msg, change: string | readonly Block[] | undefined): readonly Block[] {
  if (typeof change !== "string") return change ?? content;
  const at = Math.max(
    0,
    content.findIndex(({ type }) => type === "text"),
  );
  const others = (some: readonly Block[]): readonly Block[] => some.filter(({ type }) => type !== "text");
  return [...others(content.slice(0, at)), { type: "text", text: change }, ...others(content.slice(at))];
}

function changedBlock(block: Block, { arguments: inputs = {}, results = {} }: ForkChanges): Block {
  if (block.type === "tool_use" && Object.hasOwn(inputs, block.id))
    return withInput(block, inputs[block.id]!);
  if (block.type === "tool_result" && Object.hasOwn(results, block.id))
    return withOutput(block, block.state, results[block.id]!);
  return block;
}

function withInput({ rawInput: _, ...call }: ToolUseBlock, input: JsonObject): ToolUseBlock {
  return { ...call, input: restoreRedacted(input, call.input) };
}

function withOutput(
  call: Pick<ToolResultBlock, "id" | "name">,
  before: ToolResultBlock["state"],
  given: string | ToolResultBlock["output"],
): ToolResultBlock {
  const output = typeof given === "string" ? [{ type: "text" as const, text: given }] : given;
  return outcomeResult(call, { output, state: before === "error" ? "error" : "success" });
}

/** Returns the context with what changes say about open calls, and about the agent. */
export function changedContext(context: AgentContext, changes: ForkChanges): AgentContext {
  const calls = context.calls.map((record) => changedRecord(record, changes, context.at));
  const isReopened = calls.some((record, index) => record !== context.calls[index] && !record.stored);
  const overrides = changedOverrides(context, changes);
  const { progress, request } = context;
  return {
    ...context,
    calls,
    request: changes.system === undefined ? request : { ...request, system: changes.system },
    progress: {
      ...progress,
      ...(isReopened && { resumeAt: "acting" as const }),
      ...(overrides && { overrides }),
    },
  };
}

/** A call that is open begins again with other arguments, and is done with another result. */
function changedRecord(
  record: CallRecord,
  { arguments: inputs = {}, results = {} }: ForkChanges,
  since: number,
): CallRecord {
  const { call, hooked, stored, attempt } = record;
  if (Object.hasOwn(inputs, call.id)) {
    const changed = withInput(call, inputs[call.id]!);
    if (stored) return { ...record, call: changed };
    return { call: changed, status: "pending", hooked: false, stored, attempt: 0, since };
  }
  if (stored || !Object.hasOwn(results, call.id)) return record;
  const result = withOutput(call, record.result?.state ?? "success", results[call.id]!);
  return { call, status: "done", hooked, stored, attempt, since, result, skipHooks: true };
}

function changedOverrides({ progress }: AgentContext, changes: ForkChanges): Overrides | undefined {
  const { system, tools, model, options } = changes;
  const before = progress.overrides;
  if (system === undefined && !tools && model === undefined && !options) return before;
  return {
    ...before,
    ...(system !== undefined && { system: { text: system, persona: progress.persona ?? null } }),
    ...(tools && { tools }),
    ...(model !== undefined && { model }),
    ...(options && { options: { ...before?.options, ...options } }),
  };
}
