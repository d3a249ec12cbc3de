import { isObject } from "../../../src/core/base/json.ts";
import type { PromptLens } from "../wire/types.ts";
import { isMessage } from "./message-shape.ts";
import { t } from "../words/t.ts";

const isText = (value: unknown): boolean => typeof value === "string";
const isCount = (value: unknown): boolean => Number.isFinite(value);
const isAbsentOr = (is: (value: unknown) => boolean) => (value: unknown) => value === undefined || is(value);
const isListOf = (is: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(is);

/** A check of the fields of an object. */
const isShape =
  (fields: { readonly [name: string]: (value: unknown) => boolean }) =>
  (value: unknown): boolean =>
    isObject(value) && Object.entries(fields).every(([name, is]) => is(value[name]));

const isSent = (message: unknown): boolean => isMessage(message) && isText(message.name);
const isTexts = isShape({ before: isText, after: isText });
const isHook = isShape({
  hook: isText,
  point: isText,
  system: isAbsentOr(isTexts),
  options: isAbsentOr(isShape({ before: isObject, after: isObject })),
  input: isAbsentOr(isShape({ before: isListOf(isSent), after: isListOf(isSent) })),
});
const hasShape = isShape({
  call: isShape({
    phase: (phase) => ["reasoning", "summary", "compaction"].includes(String(phase)),
    model: isText,
    provider: isAbsentOr(isText),
    number: isCount,
    turn: isCount,
    iteration: isCount,
    attempt: isCount,
    window: isAbsentOr(isCount),
    bound: isAbsentOr(isShape({ maxMessages: isAbsentOr(isCount), maxTokens: isAbsentOr(isCount) })),
  }),
  request: isShape({
    messages: isListOf(isSent),
    tools: isListOf(isShape({ name: isText, description: isText })),
    options: isObject,
  }),
  hooks: isListOf(isHook),
  rows: isListOf(isObject),
});

/** Returns a request that can be displayed. Throws if its record is damaged: it may come from a file that anybody wrote. */
export function checkedLens(lens: PromptLens): PromptLens {
  if (!hasShape(lens)) throw new Error(t("The record of this request is damaged."));
  return lens;
}
