import { isDeepStrictEqual } from "node:util";
import { AgentError, configError } from "../../core/base/error.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { toolResultsOf, toolUsesOf } from "../../core/message/msg.ts";
import type { MediaBlock, Msg, TextBlock, ToolResultBlock } from "../../core/message/types.ts";
import type { ChatModel, StreamPart } from "../../core/model/port.ts";

/** The data that {@link codeModel} hands to its function: the turn so far. */
export type CodeTurn = {
  /** The messages that the turn answers. */
  readonly input: readonly Msg[];
  /** The results of the calls so far: one list for each step that asked for calls, in the order of its calls. */
  readonly results: readonly (readonly ToolResultBlock[])[];
  /** JSON Schema of the structured answer that the caller asks for. */
  readonly output?: JsonObject | undefined;
};

/** The next step of a {@link codeModel}: it calls tools, all at once, or it answers. */
export type CodeStep =
  | { readonly calls: readonly { readonly name: string; readonly input: JsonObject }[] }
  | {
      readonly reply: string | readonly (TextBlock | MediaBlock)[];
      readonly metadata?: JsonObject | undefined;
    };

/** Options of {@link codeModel}. */
export type CodeModelOptions = {
  /** The name of the model, and of the agent that has it: messages by that name are its own. Default `code`. */
  readonly name?: string | undefined;
  /** True computes each step twice and fails with `model/bad-response` if the two differ, for tests. Default false. */
  readonly check?: boolean | undefined;
};

/** The schema of {@link CodeModelOptions}. */
export const codeModelSchema = s.lazily(() =>
  s.options<CodeModelOptions>({ name: s.optional(s.nonEmpty()), check: s.optional(s.boolean()) }),
);

/** True for a message of an earlier turn, or of an earlier step: what stands behind it is the input. */
function isOwn({ role, name, content }: Msg, own: string): boolean {
  return role === "tool" || role === "system" || (role === "assistant" && name === own && content.length > 0);
}

/** Finds the turn at the end of a history: steps with their results, and before them the input. */
function turnOf(messages: readonly Msg[], own: string): Pick<CodeTurn, "input" | "results"> {
  const results: ToolResultBlock[][] = [];
  let end = messages.length;
  let found: ToolResultBlock[] = [];
  for (; end > 0; end--) {
    const message = messages[end - 1]!;
    const calls = toolUsesOf(message);
    if (message.role === "tool") found = [...toolResultsOf(message), ...found];
    else if (calls.length === 0) break;
    else {
      results.unshift(calls.flatMap(({ id }) => found.filter((result) => result.id === id)));
      found = [];
    }
  }
  let start = end;
  while (start > 0 && !isOwn(messages[start - 1]!, own)) start--;
  return { input: messages.slice(start, end), results };
}

/** Throws `model/bad-response` for what is not a step. */
function checkStep(step: unknown): asserts step is CodeStep {
  const { calls, reply } = (step ?? {}) as { readonly calls?: unknown; readonly reply?: unknown };
  if ((Array.isArray(calls) && calls.length > 0) || typeof reply === "string" || Array.isArray(reply)) return;
  throw new AgentError(
    "model/bad-response",
    "codeModel: the function returned no step; expected { calls: [{ name, input }] } or { reply }.",
  );
}

async function* partsOf(step: CodeStep): AsyncGenerator<StreamPart> {
  if ("calls" in step) {
    for (const [key, { name, input }] of step.calls.entries())
      yield { type: "tool.delta", key, name, args: JSON.stringify(input) };
    yield { type: "finish", reason: "tool_calls" };
    return;
  }
  const { reply, metadata } = step;
  const blocks = typeof reply === "string" ? [{ type: "text" as const, text: reply }] : reply;
  for (const [block, content] of blocks.entries()) {
    if (content.type === "text") yield { type: "text.delta", delta: content.text, block };
    else yield { type: "media", block: content };
  }
  yield { type: "finish", reason: "stop", ...(metadata && { metadata }) };
}

/**
 * A model that is code: `next` says after each step what the agent does, by the results so far. It must return the same for the same
 * turn: after a crash it is asked again. So what an agent does in code is stored, approved, bounded and shown as what it does with a
 * model; its answers have no tokens and no cost. What it throws ends the turn. A message that is steered into a turn begins it again.
 * Throws `config/invalid` for wrong options.
 *
 * @example
 * ```ts
 * import { createAgent, textOf, type Tool } from "agentchart";
 * import { codeModel } from "agentchart/team";
 *
 * export const lookUpTwice = (look: Tool) => {
 *   const model = codeModel(({ input, results: [first, second] }) => {
 *     if (!first) return { calls: [{ name: look.name, input: { query: input.map(textOf).join(" ") } }] };
 *     if (!second) return { calls: [{ name: look.name, input: { query: JSON.stringify(first[0]?.output) } }] };
 *     return { reply: JSON.stringify(second[0]?.output) };
 *   });
 *   return createAgent({ name: "code", model, tools: [look] });
 * };
 * ```
 */
export function codeModel(
  next: (turn: CodeTurn) => CodeStep | Promise<CodeStep>,
  options: CodeModelOptions = {},
): ChatModel {
  if (typeof next !== "function")
    throw configError("codeModel: expected a function that returns the next step.");
  check(codeModelSchema(), options, "codeModel");
  const { name = "code", check: isChecked = false } = options;
  return {
    name,
    capabilities: { structuredOutput: true, usesTokens: false },
    async *stream({ messages, output }) {
      const turn = { ...turnOf(messages, name), ...(output && { output: output.schema }) };
      const step = await next(turn);
      checkStep(step);
      if (isChecked && !isDeepStrictEqual(await next(turn), step))
        throw new AgentError(
          "model/bad-response",
          `codeModel '${name}' is not deterministic: the same turn gave two different steps.`,
        );
      yield* partsOf(step);
    },
  };
}
