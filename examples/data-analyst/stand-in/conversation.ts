import type { ChatCompletionsRequest } from "agentchart/testing";
import type { JsonObject } from "agentchart";

/** A call that the stand-in wants made. */
export type Call = { readonly tool: string; readonly input: JsonObject };

/** One call of this turn and what came back: its result as JSON, or what the tool said when it failed. */
export type Step = Call & { readonly result?: JsonObject; readonly error?: string };

export type Conversation = {
  readonly question: string;
  readonly steps: readonly Step[];
  readonly tools: ReadonlySet<string>;
  /** How many messages the turn has, for ids of calls that are unique in it. */
  readonly length: number;
};

type Message = ChatCompletionsRequest["messages"][number];

function textOf({ content }: Message): string {
  return typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("\n");
}

function fieldsOf(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the question of the running turn and what its tools have said so far. A hint of the agent is not a question. */
export function readConversation({ messages, tools = [] }: ChatCompletionsRequest): Conversation {
  const start = messages.findLastIndex(
    (message) => message.role === "user" && !textOf(message).startsWith("<system-hint>"),
  );
  const turn = messages.slice(start + 1);
  const answers = new Map(
    turn.flatMap((message) => (message.tool_call_id ? [[message.tool_call_id, textOf(message)]] : [])),
  );
  const steps = turn.flatMap(({ tool_calls = [] }) =>
    tool_calls.flatMap(({ id, function: call }): Step[] => {
      const text = answers.get(id ?? "");
      if (text === undefined) return [];
      const result = fieldsOf(text);
      const step = { tool: call.name, input: fieldsOf(call.arguments) ?? {} };
      return [result ? { ...step, result } : { ...step, error: text.split("\n")[0] ?? "" }];
    }),
  );
  const question = messages[start];
  return {
    question: question ? textOf(question) : "",
    steps,
    tools: new Set(tools.map((tool) => tool.function.name)),
    length: messages.length,
  };
}

/** What became of a call; undefined if it was not made. */
export function stepOf({ steps }: Conversation, { tool, input }: Call): Step | undefined {
  const wanted = JSON.stringify(input);
  const made = steps.filter((step) => step.tool === tool && JSON.stringify(step.input) === wanted);
  return made.find(({ result }) => result !== undefined) ?? made.at(-1);
}
