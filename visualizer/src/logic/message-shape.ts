import type { CallRecord, Json, Msg } from "../wire/types.ts";
import { isBlob } from "./json-rows.ts";
import { isObject } from "../../../src/core/base/json.ts";

const checked = new WeakMap<object, boolean>();

/** True if a value can be displayed as a message. Texts may be blobs. */
export function isMessage(value: unknown): value is Msg & Json {
  if (!isObject(value)) return false;
  const isValid = checked.get(value) ?? hasShape(value);
  checked.set(value, isValid);
  return isValid;
}

/** The records of calls that can be displayed. */
export function callRecords(calls: Json | undefined): readonly CallRecord[] {
  const isRecord = (record: Json): boolean =>
    isObject(record) && isObject(record["call"]) && isCall(record["call"]);
  return Array.isArray(calls) ? (calls.filter(isRecord) as unknown as readonly CallRecord[]) : [];
}

type Candidate = { readonly [key: string]: unknown };

function hasShape({ id, role, content, usage }: Candidate): boolean {
  return (
    typeof id === "string" &&
    typeof role === "string" &&
    Array.isArray(content) &&
    content.every((block) => isObject(block) && isBlock(block)) &&
    (usage === undefined || (isObject(usage) && Object.values(usage).every(isNumberOrFlag)))
  );
}

function isBlock(block: Candidate): boolean {
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
        (block["name"] === undefined || isText(block["name"])) &&
        typeof block["state"] === "string" &&
        Array.isArray(block["output"]) &&
        block["output"].every((part) => isObject(part) && (isObject(part["source"]) || isText(part["text"])))
      );
    case "image":
    case "audio":
    case "video":
      return isObject(block["source"]);
    case "provider":
      return typeof block["kind"] === "string";
    default:
      return typeof block["type"] === "string";
  }
}

const isCall = ({ id, name, input }: Candidate): boolean => isText(id) && isText(name) && input !== undefined;
const isText = (value: unknown): boolean => typeof value === "string" || isBlob(value);
const isNumberOrFlag = (value: unknown): boolean => typeof value === "boolean" || Number.isFinite(value);
