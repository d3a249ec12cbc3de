import type { Attributes } from "@opentelemetry/api";
import type { Json, JsonObject } from "../../core/base/json.ts";
import { redactSecrets } from "../../core/base/secrets.ts";
import { truncated } from "../../core/base/shown.ts";
import type { Block, FinishReason, Msg } from "../../core/message/types.ts";
import type { ModelRequest } from "../../core/model/port.ts";
import { GEN_AI, OWN } from "./names.ts";

/** The most bytes of one attribute of content. */
const MAX_BYTES = 16 * 1024;

type Redact = (value: Json) => Json;

const bytesOf = (text: string): number => Buffer.byteLength(text);

function shortened(value: Json, most: number): Json {
  if (typeof value === "string") return truncated(value, most);
  if (Array.isArray(value)) return value.map((each) => shortened(each, most));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shortened(each as Json, most)]));
}

/** Returns a value as JSON text within the bound: long strings in it are cut, and then the first elements of a list left out. */
function bounded(value: Json): { readonly text: string; readonly isShortened: boolean } {
  const whole = JSON.stringify(value);
  if (bytesOf(whole) <= MAX_BYTES) return { text: whole, isShortened: false };
  for (const most of [12_000, 2_000, 500, 100]) {
    const text = JSON.stringify(shortened(value, most));
    if (bytesOf(text) <= MAX_BYTES) return { text, isShortened: true };
  }
  if (!Array.isArray(value)) return { text: JSON.stringify("…"), isShortened: true };
  const last = value.slice(-20).map((each) => shortened(each, 100));
  while (bytesOf(JSON.stringify(last)) > MAX_BYTES) last.shift();
  return { text: JSON.stringify(last), isShortened: true };
}

function partOf(block: Block): JsonObject {
  switch (block.type) {
    case "text":
      return { type: "text", content: block.text };
    case "thinking":
      return { type: "reasoning", content: block.thinking };
    case "tool_use":
      return { type: "tool_call", id: block.id, name: block.name, arguments: block.input };
    case "tool_result": {
      const response = block.output
        .map((each) => (each.type === "text" ? each.text : `[${each.type}]`))
        .join("");
      return { type: "tool_call_response", id: block.id, response };
    }
    default:
      return { type: block.type };
  }
}

const messageOf = ({ role, content }: Msg): JsonObject => ({ role, parts: content.map(partOf) });

/** Makes the attributes that hold what was said. */
export class Content {
  readonly #redact: readonly Redact[];

  constructor(own: Redact | undefined, agents: Redact | undefined) {
    this.#redact = [...(agents ? [agents] : []), own ?? redactSecrets];
  }

  request({ messages, tools }: ModelRequest): Attributes {
    const system = messages
      .filter(({ role }) => role === "system")
      .flatMap(({ content }) => content.map(partOf));
    const said = messages.filter(({ role }) => role !== "system").map(messageOf);
    const definitions = tools.map(({ name, description, inputSchema }) => ({
      type: "function",
      name,
      description,
      parameters: inputSchema,
    }));
    return this.#attributes({
      [GEN_AI.inputMessages]: said,
      ...(system.length > 0 && { [GEN_AI.system]: system }),
      ...(definitions.length > 0 && { [GEN_AI.definitions]: definitions }),
    });
  }

  answer(message: Msg, finishReason: FinishReason): Attributes {
    return this.#attributes({
      [GEN_AI.outputMessages]: [{ ...messageOf(message), finish_reason: finishReason }],
    });
  }

  arguments(input: JsonObject): Attributes {
    return this.#attributes({ [GEN_AI.arguments]: input });
  }

  result(block: Block): Attributes {
    return this.#attributes({ [GEN_AI.result]: partOf(block)["response"] ?? null });
  }

  text(name: string, text: string): Attributes {
    return this.#attributes({ [name]: text });
  }

  /** Returns the attributes; values that cannot be redacted are left out. */
  #attributes(values: { readonly [name: string]: Json }): Attributes {
    const attributes: Attributes = {};
    for (const [name, value] of Object.entries(values)) {
      try {
        const redacted = this.#redact.reduce((now, redact) => redact(now), value);
        const { text, isShortened } = bounded(redacted);
        attributes[name] = text;
        if (isShortened) attributes[OWN.isShortened] = true;
      } catch {
        // the content may hold what must not leave the process
      }
    }
    return attributes;
  }
}
