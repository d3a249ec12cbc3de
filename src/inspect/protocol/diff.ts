import { Transcript } from "../../message/transcript.ts";
import type { Msg } from "../../message/types.ts";
import type { PatchOp } from "./protocol.ts";
import { quote } from "./quote.ts";
import { isSecret, REDACTED } from "./secrets.ts";

/** Shows a value as JSON text. */
export type Show = (value: unknown) => string;

export type DiffOptions = {
  readonly show: Show;
  /** False: a text is always given whole, so that whoever looks for secrets in it sees all of it. Default true. */
  readonly appendsText?: boolean;
};

type Fields = { readonly [key: string]: unknown };

/** Characters of the messages that the first step shows; older ones are left out. */
const FIRST_CHARACTERS = 4_000_000;

/**
 * How the shown context changed: the machine's own, with `messages` in place of `transcript`. What is the same object is the
 * same value, so contexts must be replaced and never mutated; that makes it cost as much as what changed. Without a `before`
 * it sets everything.
 */
export function patchBetween(before: Fields | undefined, after: Fields, options: DiffOptions): PatchOp[] {
  return JSON.parse(patchText(before, after, options)) as PatchOp[];
}

/** The same as text. */
export function patchText(before: Fields | undefined, after: Fields, options: DiffOptions): string {
  return before === after ? "[]" : new Differ(options).between(before, after);
}

/** Writes operations as text by hand: it runs ten times in each round of an agent, mostly for a few numbers. A path is given
 *  as the text of its list without the closing bracket. */
class Differ {
  readonly #show: Show;
  readonly #appendsText: boolean;
  #ops = "";

  constructor({ show, appendsText = true }: DiffOptions) {
    this.#show = show;
    this.#appendsText = appendsText;
  }

  between(before: Fields | undefined, after: Fields): string {
    if (before) this.#fields(before, after, "[");
    else this.#everything(after);
    return `[${this.#ops}]`;
  }

  #everything({ transcript, ...rest }: Fields): void {
    this.#op("=", "[", this.#show({ ...rest, messages: [] }));
    const messages = transcript instanceof Transcript ? this.#shownMessages(transcript) : [];
    if (messages.length > 0) this.#op("+", '["messages"', `[${messages.join(",")}]`);
  }

  #shownMessages(transcript: Transcript): readonly string[] {
    let left = FIRST_CHARACTERS;
    const shown: string[] = [];
    for (const message of transcript.slice().toReversed()) {
      const { id, role, name, metadata, timestamp } = message;
      const leftOut = {
        id,
        role,
        name,
        metadata,
        timestamp,
        content: [{ type: "text", text: "[left out]" }],
      };
      const text = this.#show(left > 0 ? message : { ...leftOut, metadata: {} });
      left -= text.length;
      shown.push(text);
    }
    return shown.toReversed();
  }

  #messages(before: Transcript, after: Transcript): void {
    const same = before.commonPrefix(after);
    const lost = before.slice(same);
    const added = after.slice(same);
    for (const [index, message] of added.slice(0, lost.length).entries())
      if (!isSame(message, lost[index]!)) this.#op("=", `["messages",${same + index}`, this.#show(message));
    for (let index = lost.length - 1; index >= added.length; index--)
      this.#op("d", `["messages",${same + index}`);
    if (added.length > lost.length) this.#op("+", '["messages"', this.#list(added.slice(lost.length)));
  }

  #differ(was: unknown, is: unknown, path: string, key: string): void {
    if (is === undefined) this.#op("d", path);
    else if (was instanceof Transcript && is instanceof Transcript) this.#messages(was, is);
    else if (isSecret(key, is) || isSecret(key, was)) this.#op("=", path, `"${REDACTED}"`);
    else if (isPlain(was) && isPlain(is)) this.#fields(was, is, path);
    else if (Array.isArray(was) && Array.isArray(is)) this.#lists(was, is, path);
    else if (this.#isAppended(was, is)) this.#op("s", path, JSON.stringify((is as string).slice(was.length)));
    else this.#op("=", path, this.#show(is));
  }

  #fields(was: Fields, is: Fields, path: string): void {
    const prefix = path === "[" ? path : `${path},`;
    let common = 0;
    for (const key in is) {
      const before = was[key];
      const after = is[key];
      const isKnown = (before === after && before !== undefined) || Object.hasOwn(was, key);
      if (isKnown) common++;
      const known = isKnown ? before : undefined; // not what every object has
      if (known !== after) this.#differ(known, after, prefix + quote(key), key);
    }
    const keys = Object.keys(was);
    if (keys.length === common) return;
    for (const key of keys) if (!Object.hasOwn(is, key)) this.#op("d", prefix + quote(key));
  }

  #lists(was: readonly unknown[], is: readonly unknown[], path: string): void {
    const dropped = is.length > 0 && typeof is[0] === "object" ? Math.max(0, was.indexOf(is[0])) : 0;
    if (dropped > 0) this.#op("-", path, String(dropped));
    const left = dropped > 0 ? was.slice(dropped) : was;
    for (const [index, item] of is.slice(0, left.length).entries())
      if (left[index] !== item) this.#differ(left[index], item ?? null, `${path},${index}`, String(index));
    for (let index = left.length - 1; index >= is.length; index--) this.#op("d", `${path},${index}`);
    if (is.length > left.length) this.#op("+", path, this.#list(is.slice(left.length)));
  }

  #list(items: readonly unknown[]): string {
    return `[${items.map((item) => this.#show(item)).join(",")}]`;
  }

  #op(name: PatchOp[0], path: string, value?: string): void {
    if (this.#ops !== "") this.#ops += ",";
    this.#ops += value === undefined ? `["${name}",${path}]]` : `["${name}",${path}],${value}]`;
  }

  #isAppended(was: unknown, is: unknown): was is string {
    if (!this.#appendsText || typeof was !== "string" || typeof is !== "string") return false;
    return was.length >= APPEND_FROM && is.length <= APPEND_TO && is.startsWith(was);
  }
}

/** Messages that were stored and read again are other objects. */
function isSame(one: Msg, other: Msg): boolean {
  return one === other || (one.id === other.id && JSON.stringify(one) === JSON.stringify(other));
}

/** Longer strings are shown as references, shorter ones are set at the same price. */
const APPEND_FROM = 32;
const APPEND_TO = 8_192;

function isPlain(value: unknown): value is Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && !("toJSON" in value);
}
