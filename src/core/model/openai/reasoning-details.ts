import { isObject, type JsonObject } from "../../base/json.ts";

/** Collects the signed or encrypted thinking that OpenRouter streams beside its text, and expects to be sent back unchanged. */
export class ReasoningDetails {
  readonly #all: JsonObject[] = [];

  /** The details so far, with the pieces of one detail joined. */
  get all(): readonly JsonObject[] {
    return this.#all;
  }

  /** Adds the details of one chunk; anything that is not an array of objects is ignored. */
  add(details: unknown): void {
    if (!Array.isArray(details)) return;
    for (const detail of details) if (isObject(detail)) this.#addOne(detail);
  }

  #addOne(detail: JsonObject): void {
    const last = this.#all.at(-1);
    if (last && continues(last, detail)) this.#all[this.#all.length - 1] = joined(last, detail);
    else this.#all.push(detail);
  }
}

const TEXTS: { readonly [type: string]: string } = {
  "reasoning.text": "text",
  "reasoning.summary": "summary",
};

/** A signature ends a text. */
function continues(last: JsonObject, next: JsonObject): boolean {
  const { type, index, signature } = last;
  const isSame = type === next["type"] && index === next["index"];
  return isSame && Object.hasOwn(TEXTS, String(type)) && !signature;
}

function joined(last: JsonObject, next: JsonObject): JsonObject {
  const field = TEXTS[String(last["type"])]!;
  const present = Object.entries(next).filter(([, value]) => value !== null);
  const text = [last[field], next[field]].filter((part) => typeof part === "string").join("");
  return { ...last, ...Object.fromEntries(present), [field]: text };
}
