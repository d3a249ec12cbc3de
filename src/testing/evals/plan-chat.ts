import { type AgentError, configError } from "../../core/base/error.ts";
import { RESERVED_NAMES } from "../../core/tool/reserved-names.ts";
import { assistantMsg, userMsg } from "../../core/message/msg.ts";
import { isObject, parsedJson, type JsonObject } from "../../core/base/json.ts";
import type { Block, MediaBlock, Msg, TextBlock } from "../../core/message/types.ts";
import type { Chat, ChatMessage } from "./chat-log.ts";

/** The messages that are stored before the agent is asked anything, or between two turns. */
type Observed = { readonly kind: "observe"; readonly messages: readonly Msg[] };
/** A turn: what the user said, and what followed. */
type Turn = { readonly kind: "turn"; readonly input: readonly Msg[]; readonly answers: readonly Answer[] };

/** An answer of the model; its calls have the ids that they have in the session. */
export type Answer = {
  readonly text?: string;
  readonly thinking?: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: JsonObject }[];
};

/** A conversation as what an agent does. */
export type ChatPlan = {
  readonly system: string;
  readonly steps: readonly (Observed | Turn)[];
  /** The recorded output of each call that has one. */
  readonly outputs: ReadonlyMap<string, readonly (TextBlock | MediaBlock)[]>;
  readonly tools: readonly string[];
};

type Assistant = Extract<ChatMessage, { role: "assistant" }>;
type ToolCall = Pick<NonNullable<Assistant["tool_calls"]>[number], "id" | "function">;
type Content = string | Exclude<Assistant["content"], string | null | undefined>;

const blocksOf = (content: Content): readonly (TextBlock | MediaBlock)[] =>
  typeof content === "string"
    ? [{ type: "text", text: content }]
    : content.map((part) => {
        if (part.type === "image_url") return imageOf(part.image_url.url);
        return { type: "text", text: part.type === "refusal" ? part.refusal : part.text };
      });

function imageOf(url: string): MediaBlock {
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/su.exec(url) ?? [];
  return mediaType === undefined || data === undefined
    ? { type: "image", source: { type: "url", url } }
    : { type: "image", source: { type: "base64", mediaType, data } };
}

const textIn = (content: Content): string =>
  blocksOf(content)
    .map((block) => (block.type === "text" ? block.text : ""))
    .join("");

function inputOf({ id, function: { name, arguments: text } }: ToolCall, refuse: (why: string) => AgentError) {
  const input = parsedJson(text === "" ? "{}" : text);
  if (isObject(input)) return input;
  throw refuse(`the arguments of the call '${id}' of \`${name}\` are not a JSON object`);
}

/** Reads a conversation message by message. */
class ChatReader {
  readonly steps: (Observed | Turn)[] = [];
  readonly outputs = new Map<string, readonly (TextBlock | MediaBlock)[]>();
  readonly tools = new Set<string>();
  readonly #systems: string[] = [];
  #input: Msg[] = [];
  #answers: Answer[] = [];
  /** The calls of the last answer that have no result yet, by the ids of the log. */
  readonly #open = new Map<string, string>();
  readonly #ids = new Set<string>();
  /** The id of the last call of the form of early years, which has none. */
  #unnamed = "";
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  get system(): string {
    return this.#systems.join("\n\n");
  }

  read(message: ChatMessage, at: number): void {
    const refuse = (why: string): AgentError =>
      configError(`The chat '${this.#name}', message ${at + 1}: ${why}.`);
    const isResult = message.role === "tool" || message.role === "function";
    const [open] = this.#open.keys();
    if (!isResult && open !== undefined) throw refuse(`the call '${open}' before it has no result`);
    switch (message.role) {
      case "system":
      case "developer":
        if (this.#systems.length < at) throw refuse(`a ${message.role} message stands first, or not at all`);
        this.#systems.push(textIn(message.content));
        return;
      case "user":
        if (this.#answers.length > 0) this.end();
        this.#input.push(
          userMsg("", {
            content: [...blocksOf(message.content)],
            ...(message.name && { name: message.name }),
          }),
        );
        return;
      case "assistant":
        this.#answer(message, refuse);
        return;
      case "tool":
        this.#result(message.tool_call_id, message.content, refuse);
        return;
      case "function":
        if (!this.#open.has(this.#unnamed)) throw refuse(`no call of \`${message.name}\` waits for a result`);
        this.#result(this.#unnamed, message.content ?? "", refuse);
    }
  }

  #result(called: string, content: Content, refuse: (why: string) => AgentError): void {
    const id = this.#open.get(called);
    if (id === undefined) throw refuse(`no call '${called}' of the answer before it waits for a result`);
    this.#open.delete(called);
    this.outputs.set(id, blocksOf(content));
  }

  #answer(message: Assistant, refuse: (why: string) => AgentError): void {
    const {
      content,
      refusal,
      reasoning_content: thinking,
      tool_calls: asked,
      function_call: early,
    } = message;
    const text = `${content == null ? "" : textIn(content)}${refusal ?? ""}`;
    if (early) this.#unnamed = `function_${this.#ids.size + 1}`;
    const all: readonly ToolCall[] = [
      ...(asked ?? []),
      ...(early ? [{ id: this.#unnamed, function: early }] : []),
    ];
    const calls = all.map((call) => {
      const input = inputOf(call, refuse);
      if (RESERVED_NAMES.includes(call.function.name))
        throw refuse(`\`${call.function.name}\` is the name of a tool that agents have for themselves`);
      if (this.#open.has(call.id)) throw refuse(`two calls have the id '${call.id}'`);
      const id = this.#idOf(call.id);
      this.#open.set(call.id, id);
      this.tools.add(call.function.name);
      return { id, name: call.function.name, input };
    });
    if (calls.length === 0 && text === "") throw refuse("an answer has neither text nor calls");
    const last = this.#answers.at(-1);
    const isAsked = this.#input.length > 0 && (last === undefined || last.calls.length > 0);
    if (!isAsked) {
      // nobody has asked for it: a greeting, or one more message of an agent
      if (calls.length > 0) throw refuse("calls of tools follow neither a message of the user nor results");
      this.end();
      this.steps.push({ kind: "observe", messages: [assistantMsg(text)] });
      return;
    }
    this.#answers.push({ ...(text !== "" && { text }), ...(thinking && { thinking }), calls });
  }

  /** Some servers number the calls of each answer from the start: ids are unique in a session. */
  #idOf(id: string): string {
    let own = id;
    for (let count = 2; this.#ids.has(own); count++) own = `${id}_${count}`;
    this.#ids.add(own);
    return own;
  }

  /** Ends the turn. Messages that nobody has answered are stored as they are. */
  end(): void {
    const [input, answers] = [this.#input, this.#answers];
    this.#input = [];
    this.#answers = [];
    if (answers.length > 0) this.steps.push({ kind: "turn", input, answers });
    else if (input.length > 0) this.steps.push({ kind: "observe", messages: input });
  }
}

/** Returns a conversation as what an agent does. Throws `config/invalid` with the message that no agent could have sent there. */
export function planOf({ name, messages }: Chat): ChatPlan {
  const reader = new ChatReader(name);
  messages.forEach((message, at) => reader.read(message, at));
  reader.end();
  const { system, steps, outputs, tools } = reader;
  return { system, steps, outputs, tools: [...tools] };
}

/** The text, the calls and the outputs of messages, for a comparison of a session with its log. */
export function tracesOf(messages: readonly Msg[]): readonly string[] {
  return messages.flatMap(({ role, content }) => content.flatMap((block) => traceOf(role, block)));
}

function traceOf(role: Msg["role"], block: Block): readonly string[] {
  if (block.type === "text") return block.text === "" ? [] : [`${role}: ${block.text}`];
  if (block.type === "tool_use") return [`${block.name} ${JSON.stringify(block.input)}`];
  if (block.type !== "tool_result" || block.state === "suspended") return [];
  return [JSON.stringify(block.output)];
}

/** The traces that a session of this conversation has. */
export function expectedOf({ steps, outputs }: ChatPlan): readonly string[] {
  return steps.flatMap((step) => {
    if (step.kind === "observe") return tracesOf(step.messages);
    const answers = step.answers.flatMap(({ text, calls }) => [
      ...(text === undefined ? [] : [`assistant: ${text}`]),
      ...calls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`),
      ...calls.flatMap(({ id }) => {
        const output = outputs.get(id);
        return output ? [JSON.stringify(output)] : [];
      }),
    ]);
    return [...tracesOf(step.input), ...answers];
  });
}
