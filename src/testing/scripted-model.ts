import { AgentError, configError } from "../core/base/error.ts";
import type { JsonObject } from "../core/base/json.ts";
import * as s from "../core/base/option-schema.ts";
import { check } from "../core/base/options.ts";
import type { FinishReason, Usage } from "../core/message/types.ts";
import type { ChatModel, ModelRequest, StreamPart } from "../core/model/port.ts";

/** A call for which a scripted model asks. */
export type ScriptedCall = {
  readonly id?: string | undefined;
  readonly name: string;
  readonly input?: JsonObject | undefined;
};

/** One answer of a scripted model: a string is a text answer, an array the parts of a stream, a function makes the stream. Tool
 *  calls without an id get `call_1`, `call_2` … A structured answer is a call of `generate_response` with the input
 *  `{ response: value }`. */
export type ScriptedTurn =
  | string
  | {
      readonly thinking?: string | undefined;
      readonly text?: string | undefined;
      readonly calls?: readonly ScriptedCall[] | undefined;
      readonly usage?: Usage | undefined;
      /** Default: `tool_calls` with calls, else `stop`. */
      readonly finish?: FinishReason | undefined;
      /** Thrown after the other parts of the turn. */
      readonly error?: Error | undefined;
    }
  | readonly StreamPart[]
  | ((request: ModelRequest, signal: AbortSignal) => AsyncIterable<StreamPart>);

type TurnParts = Exclude<ScriptedTurn, string | readonly StreamPart[] | ((...args: never[]) => unknown)>;

const turnSchema = s.lazily(() =>
  s.options<TurnParts>({
    thinking: s.optional(s.string()),
    text: s.optional(s.string()),
    calls: s.optional(s.list()),
    usage: s.anything(),
    finish: s.anything(),
    error: s.anything(),
  }),
);

/** A model that answers from a script. */
export type ScriptedModel = ChatModel & {
  /** The requests it has received, in order. */
  readonly requests: readonly ModelRequest[];
  /** Throws `config/invalid` if a turn of the script was not used. */
  done(): void;
};

function* partsOf(
  turn: Exclude<ScriptedTurn, readonly StreamPart[] | ((...args: never[]) => unknown)>,
  call: () => string,
) {
  const {
    thinking,
    text,
    calls = [],
    usage,
    finish,
    error,
  } = typeof turn === "string" ? ({ text: turn } as Exclude<typeof turn, string>) : turn;
  if (thinking !== undefined) yield { type: "thinking.delta", delta: thinking } satisfies StreamPart;
  if (text !== undefined) yield { type: "text.delta", delta: text } satisfies StreamPart;
  for (const [key, { id = call(), name, input = {} }] of calls.entries()) {
    yield { type: "tool.delta", key, id, name, args: JSON.stringify(input) } satisfies StreamPart;
  }
  if (error) throw error;
  if (usage) yield { type: "usage", usage } satisfies StreamPart;
  yield { type: "finish", reason: finish ?? (calls.length > 0 ? "tool_calls" : "stop") } satisfies StreamPart;
}

/**
 * Returns a model for tests that answers each request with the next turn of a script. A request after the last turn fails with
 * `model/bad-request`. `fields` sets the model's name (default `scripted`), its capabilities and `withName`.
 *
 * @example
 * ```ts
 * import { createAgent, defineTool } from "agentchart";
 * import { scriptedModel } from "agentchart/testing";
 *
 * const now = defineTool({ name: "now", description: "The time.", input: { type: "object" }, execute: () => "12:00" });
 * const model = scriptedModel([{ calls: [{ name: "now" }] }, "It is noon."]);
 * const agent = createAgent({ name: "clock", model, tools: [now] });
 * const reply = await agent.call("What time is it?");
 * console.log(reply.text, model.requests.length); // It is noon. 2
 * model.done();
 * ```
 */
export function scriptedModel(
  turns: readonly ScriptedTurn[],
  fields: Partial<Pick<ChatModel, "name" | "capabilities" | "withName">> = {},
): ScriptedModel {
  for (const turn of turns) {
    if (typeof turn === "object" && !Array.isArray(turn))
      check(turnSchema(), turn, "scriptedModel", "A turn");
  }
  const requests: ModelRequest[] = [];
  let calls = 0;
  const nextId = (): string => `call_${++calls}`;
  return {
    name: "scripted",
    ...fields,
    requests,
    done() {
      const left = turns.length - requests.length;
      if (left > 0) throw configError(`${left} turn(s) of the script were not used.`);
    },
    async *stream(request, { signal }) {
      signal.throwIfAborted();
      const turn = turns[requests.length];
      requests.push(request);
      if (turn === undefined) {
        throw new AgentError(
          "model/bad-request",
          `Unexpected model call ${requests.length}: the script has ${turns.length} turn(s).`,
        );
      }
      if (typeof turn === "function") yield* turn(request, signal);
      else if (Array.isArray(turn)) yield* turn as readonly StreamPart[];
      else yield* partsOf(turn as string, nextId);
    },
  };
}
