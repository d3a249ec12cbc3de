import { textOf, toolResultsOf, toolUsesOf, addUsage } from "../../../src/core/message/msg.ts";
import { pruneNulls } from "../../../src/core/tool/prune-nulls.ts";
import { OUTPUT_TOOL } from "../../../src/core/tool/reserved-names.ts";
import { parsedJson, type Json } from "../../../src/core/base/json.ts";
import type { Msg, Usage } from "../../../src/core/message/types.ts";
import { openCalls, placeOf } from "./calls.ts";
import { makeMessage, type AgentContext, type Change, type WantedOutput } from "../context.ts";
import { replaceFrom } from "../facts.ts";

/** The maximum length of the last validation error in the error of a turn, in characters. */
const MISFIT_LENGTH = 500;

/** The maximum number of times that a model that omits the structured output is reminded; these rounds do not count as iterations. */
export const MAX_REMINDERS = 3;

export function lacksOutput({ wanted }: AgentContext): boolean {
  return wanted !== null && wanted.value === undefined;
}

export function hasOutput({ wanted }: AgentContext): boolean {
  return wanted?.value !== undefined;
}

/** True if the answer has no tool calls and no structured output, and a reminder is left. */
export function mayRemind(context: AgentContext): boolean {
  return lacksOutput(context) && openCalls(context).length === 0 && context.wanted!.reminders < MAX_REMINDERS;
}

export function remind(context: AgentContext): Change {
  const { wanted, progress } = context;
  return {
    wanted: wanted && { ...wanted, reminders: wanted.reminders + 1 },
    progress: { ...progress, exempt: true },
  };
}

/** The validation error of the last attempt of this turn; empty if there was none. */
function lastMisfit({ transcript, progress }: AgentContext): string {
  const last = transcript
    .slice(progress.turnAt)
    .flatMap(toolResultsOf)
    .findLast(({ name, state }) => name === OUTPUT_TOOL && state === "error");
  const [block] = last?.output ?? [];
  return block?.type === "text" ? ` Its last try: ${block.text.slice(0, MISFIT_LENGTH).toWellFormed()}` : "";
}

export function failOutput(context: AgentContext): Change {
  const reminders = context.wanted?.reminders ?? 0;
  const times = reminders === 1 ? "once" : `${reminders} times`;
  return {
    wanted: null,
    failure: {
      code: "output/missing",
      message: `The model did not give the structured output it was asked for (reminded ${times}).${lastMisfit(context)}`,
    },
  };
}

/** The validated value of a successful call of the output tool. */
export function outputOf({ calls, wanted }: AgentContext, callId: string): Json | undefined {
  const call = wanted ? calls[placeOf(calls, callId)]?.call : undefined;
  const answer = call?.name === OUTPUT_TOOL ? call.input["response"] : undefined;
  return answer === undefined ? undefined : pruneNulls(wanted!.schema, answer);
}

/** The requested output after a hook has rejected the value of this call. */
export function withoutOutput(context: AgentContext, callId: string): WantedOutput | null {
  const { wanted } = context;
  const answer = outputOf(context, callId);
  if (!wanted || answer === undefined || JSON.stringify(answer) !== JSON.stringify(wanted.value))
    return wanted;
  const { value: _, ...rest } = wanted;
  return rest;
}

/** Without the calls of the output tool and their results; sibling calls stay (F14). */
function withoutOutputCalls(messages: readonly Msg[]): readonly Msg[] {
  const ids = new Set(
    messages.flatMap((message) =>
      toolUsesOf(message).flatMap(({ id, name }) => (name === OUTPUT_TOOL ? [id] : [])),
    ),
  );
  return messages.flatMap((message) => {
    const content = message.content.filter(
      (block) => !((block.type === "tool_use" || block.type === "tool_result") && ids.has(block.id)),
    );
    if (content.length === message.content.length) return [message];
    const says = content.some(({ type }) => type !== "thinking" && type !== "provider");
    const { usage: _, ...rest } = message; // the answer carries it
    return says ? [{ ...rest, content }] : [];
  });
}

/** Replaces the calls of the output tool by one message with the structured output. */
export function storeOutput(context: AgentContext): Change {
  const { transcript, progress, wanted } = context;
  if (wanted!.mode === "native" && transcript.at(-1)?.role === "assistant") return keepOutput(context);
  const turn = transcript.slice(progress.turnAt);
  const isOutput = (message: Msg): boolean => toolUsesOf(message).some(({ name }) => name === OUTPUT_TOOL);
  const used = turn.filter(isOutput).reduce<Usage>((sum, { usage }) => addUsage(sum, usage), {});
  const thinking =
    turn
      .filter(isOutput)
      .at(-1)
      ?.content.filter(({ type }) => type === "thinking") ?? [];
  const answer: Msg = {
    ...makeMessage(context, "assistant", [
      ...thinking,
      { type: "text", text: JSON.stringify(wanted!.value) },
    ]),
    reason: "STRUCTURED_OUTPUT",
    usage: used,
  };
  const kept = withoutOutputCalls(turn);
  return {
    ...replaceFrom(context, progress.turnAt, [...kept, answer]),
    progress: { ...progress, made: progress.made + 1, continues: false },
    outcome: { reason: "STRUCTURED_OUTPUT", reply: answer, output: wanted!.value! },
    stop: false,
    goto: null,
  };
}

/** Keeps the answer of a model that produces structured output natively. */
export function keepOutput(context: AgentContext): Change {
  const reply = context.transcript.at(-1)!;
  const output = context.wanted!.value!;
  return { outcome: { reason: "STRUCTURED_OUTPUT", reply, output }, stop: false, goto: null };
}

/** The JSON value of an answer; undefined if it is not JSON. */
export const nativeValue = (message: Msg): Json | undefined => parsedJson(textOf(message));
