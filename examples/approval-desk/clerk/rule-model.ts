import { setTimeout as sleep } from "node:timers/promises";
import {
  textOf,
  toolResultsOf,
  toolUsesOf,
  type ChatModel,
  type Msg,
  type StreamPart,
  type ToolResultBlock,
} from "agentchart";
import type { Move, Step, Turn } from "./move.ts";

/** By convention, a token is about four characters. */
const CHARS_PER_TOKEN = 4;

const outputOf = ({ output }: ToolResultBlock): string =>
  output.map((block) => (block.type === "text" ? block.text : "")).join("\n");

/** The tool calls of some messages that have results. */
function stepsOf(messages: readonly Msg[]): readonly Step[] {
  const results = new Map(messages.flatMap(toolResultsOf).map((result) => [result.id, result]));
  return messages.flatMap(toolUsesOf).flatMap(({ id, name, input }): Step[] => {
    const result = results.get(id);
    return result ? [{ tool: name, input, isDone: result.state === "success", text: outputOf(result) }] : [];
  });
}

/** True for what the agent itself adds to the conversation, such as the hint of the plan notebook. */
const isHint = (message: Msg): boolean =>
  message.role === "user" && (message.name === "system" || textOf(message).startsWith("<system-hint>"));

/** What was said and done. A turn begins behind the last answer without a call. */
function turnOf(all: readonly Msg[]): Turn {
  const messages = all.filter((message) => !isHint(message));
  const begin =
    messages.findLastIndex((message) => message.role === "assistant" && toolUsesOf(message).length === 0) + 1;
  const said = (part: readonly Msg[]) => part.filter(({ role }) => role === "user").map(textOf);
  const turn = messages.slice(begin);
  return { before: said(messages.slice(0, begin)), said: said(turn), steps: stepsOf(turn) };
}

/** Pieces as a language model gives them: words, or single characters of Chinese. */
const piecesOf = (text: string): readonly string[] =>
  text.match(/\p{Script=Han}|[^\s\p{Script=Han}]*\s*/gu) ?? [];

const tokensOf = (text: string): number => Math.ceil(text.length / CHARS_PER_TOKEN);

/** A model without a language model: rules over the conversation only, so that the same conversation always gets the same
 *  answer, in any process. It says a piece each `paceMs`. */
export function ruleModel(name: string, rules: (turn: Turn) => Move, paceMs: number): ChatModel {
  return {
    name,
    async *stream({ messages }, { signal }): AsyncGenerator<StreamPart> {
      const { think = "", say, calls = [] } = rules(turnOf(messages));
      const pause = (): Promise<void> =>
        paceMs > 0 ? sleep(paceMs, undefined, { signal }) : Promise.resolve();
      for (const [type, text] of [
        ["thinking.delta", think],
        ["text.delta", say],
      ] as const)
        for (const piece of piecesOf(text).filter(Boolean)) {
          await pause();
          yield { type, delta: piece };
        }
      for (const [index, { tool, input }] of calls.entries()) {
        const id = `call_${messages.length}_${index}`;
        yield { type: "tool.delta", key: id, id, name: tool, args: JSON.stringify(input) };
      }
      const usage = {
        inputTokens: tokensOf(JSON.stringify(messages)),
        outputTokens: tokensOf(think + say + JSON.stringify(calls)),
        estimated: true,
      };
      yield { type: "usage", usage };
      yield { type: "finish", reason: calls.length > 0 ? "tool_calls" : "stop" };
    },
  };
}
