import { isObject } from "../../core/base/json.ts";
import { REASONS } from "../../core/message/types.ts";
import { SESSION_PHASES } from "../../store/port.ts";
import { isActorInfo } from "../protocol/actor-info.ts";
import { isCount, isWithin, parseStep } from "../protocol/parse-run-file.ts";

const MAX_DEPTH = 200;
const MAX_TEXT = 10_000;

const isText = (value: unknown): value is string => typeof value === "string" && value.length <= MAX_TEXT;
const isNumber = (value: unknown): boolean => Number.isFinite(value);
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isOptional = (value: unknown, is: (value: unknown) => boolean): boolean =>
  value === undefined || is(value);

const isLabel = (value: unknown): boolean =>
  isObject(value) && isText(value["what"]) && isText(value["of"]) && isOptional(value["now"], isText);

/** The fields of a row, and what each must be. */
const ROW: { readonly [field: string]: (value: unknown) => boolean } = {
  runId: (value) => isText(value) && value !== "",
  agent: isText,
  chart: isText,
  state: isText,
  phase: (value) => SESSION_PHASES.some((phase) => phase === value),
  waitsFor: isTexts,
  can: isTexts,
  reason: (value) => isOptional(value, (each) => REASONS.some((reason) => reason === each)),
  title: (value) => isOptional(value, isText),
  notice: (value) => isOptional(value, isText),
  leaf: (value) => isOptional(value, isText),
  slots: (value) => isOptional(value, isTexts),
  error: (value) =>
    isOptional(value, (each) => isObject(each) && isText(each["code"]) && isText(each["message"])),
  startedAt: isNumber,
  updatedAt: isNumber,
  steps: isNumber,
  pending: isNumber,
  seq: (value) => isOptional(value, isNumber),
  usage: (value) => isObject(value) && Object.values(value).every((each) => isNumber(each) || each === true),
  forkOf: (value) =>
    isOptional(
      value,
      (each) =>
        isObject(each) &&
        isText(each["runId"]) &&
        isNumber(each["seq"]) &&
        isOptional(each["changed"], (all) => Array.isArray(all) && all.every(isLabel)),
    ),
  parent: (value) =>
    isOptional(value, (each) => isObject(each) && isText(each["runId"]) && isText(each["callId"])),
  worker: (value) => isOptional(value, isObject),
  actor: (value) => isOptional(value, isActorInfo),
};

/** Throws for a message of a process that would harm the lists and the pages of others: its connection is closed then. */
export function checkWorkerMessage(message: unknown): void {
  if (!isObject(message) || !isWithin(message, MAX_DEPTH)) throw new Error("a message must be a JSON object");
  const { type, row, pending, runId, items, keyframe, statesFrom } = message;
  if (type === "run") {
    const wrong = Object.entries(ROW).find(([field, is]) => !is(isObject(row) ? row[field] : undefined));
    if (wrong) throw new Error(`\`row.${wrong[0]}\` is invalid`);
    if (!Array.isArray(pending) || !pending.every(isObject)) throw new Error("`pending` must be a list");
  }
  if (["steps", "blob", "gone"].includes(String(type)) && !isText(runId))
    throw new Error("`runId` must be a string");
  if (type === "steps") {
    const { states } = message;
    if (!Array.isArray(items) || !Array.isArray(states) || !states.every(isTexts))
      throw new Error("`items` and `states` must be lists");
    if (!isOptional(keyframe, isObject) || !isOptional(statesFrom, isCount))
      throw new Error("`keyframe` must be an object, and `statesFrom` an index");
    for (const item of items) parseStep(isObject(item) ? item : {}, undefined);
  }
  if (type === "blob") {
    const { sha, part, parts, text } = message;
    if (!isText(sha) || !isCount(part) || !isCount(parts) || typeof text !== "string")
      throw new Error("a part of a text has `sha`, `part`, `parts` and `text`");
  }
  if (type === "stream") {
    const isDelta = (item: unknown): boolean =>
      isObject(item) &&
      isText(item["runId"]) &&
      typeof item["delta"] === "string" &&
      isText(item["messageId"]);
    if (!Array.isArray(items) || !items.every(isDelta)) throw new Error("`items` must be a list of deltas");
  }
}
