import { setTimeout as sleep } from "node:timers/promises";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { AgentError } from "../../core/base/error.ts";
import { isObject, type Json, type JsonObject } from "../../core/base/json.ts";
import type { Ask } from "../../core/tool/pending.ts";
import { suspend } from "../../core/tool/suspend.ts";
import type { Resumed, Suspension } from "../../core/tool/types.ts";
import type { Answered, Called, Connection } from "./connection.ts";
import type { CallWith, Step } from "./in-flight.ts";
import { requestOf, toAsk, toElicitResult } from "./questions.ts";

/** The pause before a call is repeated that the server only wants to be repeated, ms. */
const PAUSE_MS = 250;
/** The maximum number of times that a server may be answered within one run of a call. */
const MAX_ROUNDS = 20;

type Asked = Extract<Step, { readonly requests: unknown }>;
/** The state of the questions of a server that a suspended call remembers. */
type State = Omit<Asked, "requests"> & {
  /** The key and the kind of each question, by the id of its ask. */
  readonly asked: { readonly [id: string]: readonly [key: string, kind: Ask["kind"]] };
  /** The answers that were given without a person. */
  readonly own: { readonly [key: string]: Json };
};

const isState = (state: unknown): state is State =>
  isObject(state) && isObject(state["asked"]) && isObject(state["own"]);

/** The answers of a call that goes on, for its server. */
function answeredBy({ state, answers }: Resumed): Answered {
  if (!isState(state))
    throw new AgentError(
      "tool/failed",
      "The call does not go on: it remembers nothing that an MCP server asked.",
    );
  const { asked, own, ...rest } = state;
  const given = Object.entries(asked).map(([id, [key, kind]]) => [key, toElicitResult(answers[id], kind)]);
  return { ...rest, responses: { ...own, ...Object.fromEntries(given) } };
}

/** Calls a tool, again each time that its server has been answered, until there is a result, or a question for a person. */
export async function runRounds(
  connection: Connection,
  tool: Called,
  input: JsonObject,
  how: CallWith,
  resumed?: Resumed,
): Promise<{ readonly result: CallToolResult } | Suspension> {
  let answered = resumed && answeredBy(resumed);
  const counter = { samples: 0 };
  for (let round = 0; ; round++) {
    const step = await connection.call(tool, input, how, answered);
    if ("result" in step) return step;
    const { requests, ...rest } = step;
    if (round >= MAX_ROUNDS)
      throw new AgentError(
        "tool/failed",
        `The MCP server '${connection.label}' asked more than ${MAX_ROUNDS} times.`,
      );
    const own: Record<string, Json> = {};
    const asks: Ask[] = [];
    const asked: Record<string, readonly [string, Ask["kind"]]> = {};
    for (const [index, [key, request]] of Object.entries(requests).entries()) {
      const { method, params } = requestOf(connection.label, request);
      const ask = method === "elicitation/create" ? toAsk(key, index, params) : undefined;
      if (ask && connection.asksPeople) {
        asks.push(ask);
        asked[ask.id] = [key, ask.kind];
      } else own[key] = await connection.answer({ method, params, ...(ask && { ask }) }, how.signal, counter);
    }
    if (asks.length > 0)
      return suspend(`The MCP server '${connection.label}' asks.`, {
        then: "resume",
        state: { ...rest, asked, own } satisfies State as Json,
        asks,
      });
    if (Object.keys(requests).length === 0) await sleep(PAUSE_MS, undefined, { signal: how.signal });
    answered = { ...rest, responses: own };
  }
}
