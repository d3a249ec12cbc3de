import { Transcript } from "../message/transcript.ts";
import type { Json, JsonObject, Msg } from "../message/types.ts";
import type { PatchOp, Path } from "./protocol.ts";
import { isSecret, REDACTED } from "./secrets.ts";

/** Shows a value as JSON. */
export type Show = (value: unknown) => Json;

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
  if (before === after) return [];
  if (!before) {
    const { transcript, ...rest } = after;
    const context = { ...(options.show(rest) as JsonObject), messages: [] };
    const messages = transcript instanceof Transcript ? shownMessages(transcript, options.show) : [];
    return [["=", [], context], ...(messages.length > 0 ? [["+", ["messages"], messages] as const] : [])];
  }
  const ops: PatchOp[] = [];
  for (const key of Object.keys(after)) {
    const [was, is] = [before[key], after[key]];
    if (was === is) continue;
    if (was instanceof Transcript && is instanceof Transcript) messageOps(was, is, options.show, ops);
    else differ(was, is, [key], options, ops);
  }
  for (const key in before) if (!(key in after)) ops.push(["d", [key]]);
  return ops;
}

function shownMessages(transcript: Transcript, show: Show): Json[] {
  let left = FIRST_CHARACTERS;
  const shown: Json[] = [];
  for (const message of transcript.slice().toReversed()) {
    const { id, role, name, metadata, timestamp } = message;
    const leftOut = { id, role, name, metadata, timestamp, content: [{ type: "text", text: "[left out]" }] };
    const json = show(left > 0 ? message : { ...leftOut, metadata: {} });
    if (left > 0) left -= JSON.stringify(json).length;
    shown.push(json);
  }
  return shown.toReversed();
}

function messageOps(before: Transcript, after: Transcript, show: Show, ops: PatchOp[]): void {
  const same = before.commonPrefix(after);
  const lost = before.slice(same);
  const added = after.slice(same);
  for (const [index, message] of added.slice(0, lost.length).entries())
    if (!isSame(message, lost[index]!)) ops.push(["=", ["messages", same + index], show(message)]);
  for (let index = lost.length - 1; index >= added.length; index--)
    ops.push(["d", ["messages", same + index]]);
  if (added.length > lost.length) ops.push(["+", ["messages"], added.slice(lost.length).map(show)]);
}

/** Messages that were stored and read again are other objects. */
function isSame(one: Msg, other: Msg): boolean {
  return one === other || (one.id === other.id && JSON.stringify(one) === JSON.stringify(other));
}

function differ(was: unknown, is: unknown, path: Path, options: DiffOptions, ops: PatchOp[]): void {
  if (was === is) return;
  const key = String(path.at(-1));
  if (is === undefined) ops.push(["d", path]);
  else if (isSecret(key, is) || isSecret(key, was)) ops.push(["=", path, REDACTED]);
  else if (isPlain(was) && isPlain(is)) differFields(was, is, path, options, ops);
  else if (Array.isArray(was) && Array.isArray(is)) differLists(was, is, path, options, ops);
  else if (isAppended(was, is, options)) ops.push(["s", path, (is as string).slice(was.length)]);
  else ops.push(["=", path, options.show(is)]);
}

function differFields(was: Fields, is: Fields, path: Path, options: DiffOptions, ops: PatchOp[]): void {
  const keys = Object.keys(is);
  let common = 0;
  for (const key of keys) {
    const [before, after] = [was[key], is[key]];
    const isKnown = (before === after && before !== undefined) || Object.hasOwn(was, key);
    if (isKnown) common++;
    if (before === after && isKnown) continue;
    if (isKnown || after !== undefined)
      differ(isKnown ? before : undefined, after, [...path, key], options, ops);
  }
  const known = Object.keys(was);
  if (known.length === common) return;
  for (const key of known) if (!Object.hasOwn(is, key)) ops.push(["d", [...path, key]]);
}

function differLists(
  was: readonly unknown[],
  is: readonly unknown[],
  path: Path,
  options: DiffOptions,
  ops: PatchOp[],
): void {
  const dropped = is.length > 0 && typeof is[0] === "object" ? Math.max(0, was.indexOf(is[0])) : 0;
  if (dropped > 0) ops.push(["-", path, dropped]);
  const left = dropped > 0 ? was.slice(dropped) : was;
  for (const [index, item] of is.slice(0, left.length).entries())
    if (left[index] !== item) differ(left[index], item ?? null, [...path, index], options, ops);
  for (let index = left.length - 1; index >= is.length; index--) ops.push(["d", [...path, index]]);
  if (is.length > left.length) ops.push(["+", path, is.slice(left.length).map(options.show)]);
}

/** Longer strings are shown as references, shorter ones are set at the same price. */
const APPEND_FROM = 32;
const APPEND_TO = 8_192;

function isAppended(was: unknown, is: unknown, { appendsText = true }: DiffOptions): was is string {
  if (!appendsText || typeof was !== "string" || typeof is !== "string") return false;
  return was.length >= APPEND_FROM && is.length <= APPEND_TO && is.startsWith(was);
}

function isPlain(value: unknown): value is Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && !("toJSON" in value);
}
