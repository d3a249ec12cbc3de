import { AgentError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import type { Usage } from "../message/types.ts";
import type { ChatModel, FinishReason, ModelRequest, StreamPart } from "../model/port.ts";

/** One answer of a scripted model. A string is an answer of that text. Calls without id get `call_<n>`. A
 *  structured answer is a call of `generate_response` with the input `{ response: value }`. */
export type ScriptedTurn =
  | string
  | {
      readonly thinking?: string;
      readonly text?: string;
      readonly calls?: readonly {
        readonly id?: string;
        readonly name: string;
        readonly input?: JsonObject;
      }[];
      readonly usage?: Usage;
      /** Default `tool_calls` with calls, else `stop`. */
      readonly finish?: FinishReason;
      /** Thrown after what else the turn says. */
      readonly error?: Error;
    }
  | readonly StreamPart[]
  | ((request: ModelRequest, signal: AbortSignal) => AsyncIterable<StreamPart>);

/** A model that plays a script. */
export type ScriptedModel = ChatModel & {
  /** The requests so far, in order. */
  readonly requests: readonly ModelRequest[];
  /** Throws if a turn of the script was not asked for. */
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

/** A model for tests: each request takes the next turn of the script. A request beyond the script fails with
 *  `model/bad-request`, and `done()` fails for turns nobody asked for. */
export function scriptedModel(
  turns: readonly ScriptedTurn[],
  fields: Partial<Pick<ChatModel, "name" | "capabilities">> = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];
  let calls = 0;
  const nextId = (): string => `call_${++calls}`;
  return {
    name: "scripted",
    ...fields,
    requests,
    done() {
      const left = turns.length - requests.length;
      if (left > 0)
        throw new AgentError("config/invalid", `${left} turn(s) of the script were never asked for.`);
    },
    async *stream(request, { signal }) {
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
