import { perObject, isSame, isObject, type Json, type JsonObject } from "../../core/base/json.ts";
import { partialJson } from "../../core/base/partial-json.ts";
import { partialSchema } from "../../core/tool/partial-schema.ts";
import { validateInput } from "../../core/tool/validate-input.ts";

/** The partial forms of schemas of structured answers: a schema is that of many answers. */
const formOf = perObject(partialSchema);

/** A text is read again when it has grown by this part of its length, so that the work is in proportion to the text. */
const GROWTH = 1 / 64;

/** The structured answer of a message while it takes form. */
export class PartialOutput {
  readonly #schema: JsonObject;
  readonly #show: (value: Json) => void;
  /** So long was the text when it was last read. */
  #read = 0;
  #shown: Json | undefined;

  /** `show` is called with each value that fits the partial form of the schema and is another one than before. */
  constructor(schema: JsonObject, show: (value: Json) => void) {
    this.#schema = formOf(schema);
    this.#show = show;
  }

  /** Takes the JSON text so far: of the answer itself, or of the arguments in which it is `response`. */
  push(text: string, isArguments: boolean): void {
    if (text.length - this.#read < text.length * GROWTH) return;
    this.#readAll(text, isArguments);
  }

  /** Takes the whole text. */
  end(text: string, isArguments: boolean): void {
    if (text.length > this.#read) this.#readAll(text, isArguments);
    this.#read = 0;
  }

  #readAll(text: string, isArguments: boolean): void {
    this.#read = text.length;
    for (const given of partialJson(text)) {
      const value = isArguments ? (isObject(given) ? given["response"] : undefined) : given;
      if (value === undefined || validateInput(this.#schema, value) !== null) continue;
      if (this.#shown === undefined || !isSame(this.#shown, value)) this.#show((this.#shown = value));
      return;
    }
  }
}
