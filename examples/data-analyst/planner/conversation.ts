import { wireText, type WireMessage, type WireRequest } from "./wire.ts";

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };
export type JsonFields = { readonly [key: string]: JsonValue };

/** One tool call of this turn and what came back. */
export type Step = {
  readonly tool: string;
  readonly input: JsonFields;
  /** The result as JSON, or undefined if the tool failed. */
  readonly result?: JsonFields;
  /** What the tool said when it failed. */
  readonly error?: string;
};

export type Conversation = {
  readonly question: string;
  readonly steps: readonly Step[];
  readonly tools: ReadonlySet<string>;
  /** How many messages the turn has, for call ids that are unique in it. */
  readonly length: number;
};

function parseFields(text: string): JsonFields | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as JsonFields)
      : undefined;
  } catch {
    return undefined;
  }
}

/** What the agent says to the model before an answer, and no person has said. */
const isHint = (message: WireMessage): boolean => wireText(message).startsWith("<system-hint>");

/** Where the turn starts: the last thing a person said, or, once tools are gone, the last thing that was worked on. */
function questionAt(messages: readonly WireMessage[], toolsGone: boolean): number {
  const last = messages.findLastIndex(({ role }) => role === "user");
  if (!toolsGone) return last;
  const working = messages.findLastIndex(({ tool_calls }) => (tool_calls?.length ?? 0) > 0);
  const worked = messages.findLastIndex(({ role }, index) => role === "user" && index < working);
  return worked === -1 ? last : worked;
}

/** The question of the running turn and what its tools have said so far. */
export function readConversation({ messages, tools = [] }: WireRequest): Conversation {
  const said = messages.filter((message) => message.role !== "user" || !isHint(message));
  const start = questionAt(said, tools.length === 0);
  const turn = said.slice(start + 1);
  const answers = new Map(
    turn.flatMap((message) => (message.tool_call_id ? [[message.tool_call_id, wireText(message)]] : [])),
  );
  const steps = turn.flatMap(({ tool_calls = [] }) =>
    tool_calls.flatMap(({ id, function: call }): Step[] => {
      const text = answers.get(id);
      if (text === undefined) return [];
      const result = parseFields(text);
      const step = { tool: call.name, input: parseFields(call.arguments) ?? {} };
      return [result ? { ...step, result } : { ...step, error: text }];
    }),
  );
  const question = said[start];
  return {
    question: question ? wireText(question) : "",
    steps,
    tools: new Set(tools.map((tool) => tool.function.name)),
    length: messages.length,
  };
}
