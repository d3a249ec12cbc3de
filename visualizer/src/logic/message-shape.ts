import type { CallRecord, Json, Msg } from "../wire/types.ts";
import { isBlob } from "./json-rows.ts";
import { isObject } from "../../../src/base/is-object.ts";

const known = new WeakMap<object, boolean>();

/** True for what can be shown as a message. A text in it may be a reference to a long one. */
export function isMessage(value: unknown): value is Msg & Json {
  if (!isObject(value)) return false;
  const isOne = known.get(value) ?? hasShape(value);
  known.set(value, isOne);
  return isOne;
}

/** The records of calls in a context that can be shown. */
export function callRecords(calls: Json | undefined): readonly CallRecord[] {
  const isRecord = (record: Json): boolean =>
    isObject(record) && isObject(record["call"]) && isCall(record["call"]);
  return Array.isArray(calls) ? (calls.filter(isRecord) as unknown as readonly CallRecord[]) : [];
}

type Shape = { readonly [key: string]: unknown };

function hasShape({ id, role, content, usage }: Shape): boolean {
  return (
    typeof id === "string" &&
    typeof role === "string" &&
    Array.isArray(content) &&
    content.every((block) => isObject(block) && isBlock(block)) &&
    (usage === undefined || (isObject(usage) && Object.values(usage).every(isFigure)))
  );
}

function isBlock(block: Shape): boolean {
  switch (block["type"]) {
    case "text":
      return isText(block["text"]);
    case "thinking":
      return isText(block["thinking"]);
    case "tool_use":
      return isCall(block);
    case "tool_result":
      return (
        isText(block["id"]) &&
        typeof block["state"] === "string" &&
        Array.isArray(block["output"]) &&
        block["output"].every((part) => isObject(part) && (isObject(part["source"]) || isText(part["text"])))
      );
    case "image":
    case "audio":
    case "video":
      return isObject(block["source"]);
    default:
      return typeof block["type"] === "string";
  }
}

const isCall = ({ id, name, input }: Shape): boolean => isText(id) && isText(name) && input !== undefined;
const isText = (value: unknown): boolean => typeof value === "string" || isBlob(value);
const isFigure = (value: unknown): boolean => typeof value === "boolean" || Number.isFinite(value);
