import { parsedJson, isSame, isTooDeep } from "../base/json.ts";

/** The state of the text of arguments so far: nothing, a beginning of a JSON value, one JSON value, no JSON, or one value after another. */
export type ArgumentState = "none" | "open" | "whole" | "broken" | "joined";

/** The token that may come next. */
type Expected = "value" | "first" | "key" | "colon" | "comma" | "end";

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const TOKEN = /^(-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?|true|false|null)$/;
/** A number with more characters is not read as JSON. */
const LONGEST_TOKEN = 400;

/** Reads the arguments of a call, which come in pieces cut at any place, each character once. Says at any time whether they are whole. */
export class ArgumentText {
  #expected: Expected = "value";
  /** The characters that close the objects and lists that are open, innermost last. */
  readonly #closing: number[] = [];
  #isInString = false;
  #isKey = false;
  #escape = 0;
  #token = "";
  #failure: "broken" | "joined" | undefined;
  #length = 0;

  get state(): ArgumentState {
    if (this.#failure) return this.#failure;
    if (this.#length === 0) return "none";
    if (this.#expected === "end") return "whole";
    const isScalar = this.#closing.length === 0 && TOKEN.test(this.#token);
    return isScalar ? "whole" : "open";
  }

  /** True for `{}`, which some servers send before the arguments. */
  get isEmptyObject(): boolean {
    return this.#length === 2 && this.state === "whole";
  }

  push(text: string): void {
    for (let at = 0; at < text.length && !this.#failure; at++) {
      const code = text.charCodeAt(at);
      if (this.#isInString) this.#readString(code);
      else if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) this.#readToken(code);
      else if (this.#token !== "") this.#endToken();
    }
  }

  #readString(code: number): void {
    if (this.#escape > 0) this.#readEscape(code);
    else if (code === BACKSLASH) this.#escape = 1;
    else if (code < 0x20) this.#failure = "broken";
    else if (code === QUOTE) {
      this.#isInString = false;
      if (this.#isKey) this.#expected = "colon";
      else this.#endValue();
    }
  }

  /** Reads what follows a backslash: one character, or "u" and four digits. */
  #readEscape(code: number): void {
    const character = String.fromCharCode(code);
    if (this.#escape === 1) {
      this.#escape = character === "u" ? 5 : 0;
      if (!'"\\/bfnrtu'.includes(character)) this.#failure = "broken";
    } else {
      this.#escape = this.#escape === 2 ? 0 : this.#escape - 1;
      if (!/[\da-fA-F]/.test(character)) this.#failure = "broken";
    }
  }

  #readToken(code: number): void {
    const isSign =
      code === QUOTE ||
      code === COMMA ||
      code === COLON ||
      code === OPEN_LIST ||
      code === CLOSE_LIST ||
      code === OPEN_OBJECT ||
      code === CLOSE_OBJECT;
    this.#length++;
    if (isSign) {
      if (this.#token !== "") this.#endToken();
      if (!this.#failure) this.#readSign(code);
    } else if (this.#token === "" && this.#expected !== "value" && this.#expected !== "first") {
      this.#failure = "broken";
    } else if (this.#expected === "first" && this.#closing.at(-1) === CLOSE_OBJECT) {
      this.#failure = "broken";
    } else {
      this.#expected = "value";
      this.#token += String.fromCharCode(code);
      if (this.#token.length > LONGEST_TOKEN) this.#failure = "broken";
    }
  }

  #endToken(): void {
    if (TOKEN.test(this.#token)) this.#endValue();
    else this.#failure = "broken";
    this.#token = "";
  }

  #endValue(): void {
    this.#expected = this.#closing.length === 0 ? "end" : "comma";
  }

  #readSign(code: number): void {
    const expected = this.#expected;
    const closing = this.#closing.at(-1);
    const isInObject = closing === CLOSE_OBJECT;
    if (expected === "end") {
      this.#failure = code === OPEN_OBJECT || code === OPEN_LIST ? "joined" : "broken";
    } else if (code === QUOTE) {
      const isKey = expected === "key" || (expected === "first" && isInObject);
      if (!isKey && expected !== "value" && expected !== "first") this.#failure = "broken";
      this.#isKey = isKey;
      this.#isInString = true;
    } else if (code === COLON) {
      if (expected !== "colon") this.#failure = "broken";
      this.#expected = "value";
    } else if (code === COMMA) {
      if (expected !== "comma") this.#failure = "broken";
      this.#expected = isInObject ? "key" : "value";
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      if (expected !== "value" && !(expected === "first" && !isInObject)) this.#failure = "broken";
      this.#closing.push(code === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_LIST);
      this.#expected = "first";
    } else {
      const mayClose = code === closing && (expected === "comma" || expected === "first");
      if (!mayClose) this.#failure = "broken";
      this.#closing.pop();
      this.#endValue();
    }
  }
}

/** True for two texts of the same JSON value that is not nested too deep to be compared. */
export function isSameJson(one: string, other: string): boolean {
  const value = parsedJson(one);
  return value !== undefined && !isTooDeep(value) && isSame(value, parsedJson(other));
}
