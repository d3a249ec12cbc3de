import { isObject } from "../base/is-object.ts";
import { AgentError } from "../base/error.ts";
import { isMedia, isProviderBlock } from "../message/validate.ts";
import type { StreamPart } from "./port.ts";

type Fields = { readonly [key: string]: unknown };

const isStringOrAbsent = (value: unknown): boolean => value === undefined || typeof value === "string";

const isCount = (value: unknown): boolean => Number.isFinite(value) && (value as number) >= 0;

function isUsage(usage: unknown): boolean {
  if (!isObject(usage)) return false;
  const { estimated, ...counts } = usage;
  const areCounts = Object.values(counts).every((count) => count === undefined || isCount(count));
  return areCounts && (estimated === undefined || typeof estimated === "boolean");
}

const isKey = (value: unknown): boolean => typeof value === "string" || typeof value === "number";

function isToolDelta({ key, id, name, args, input }: Fields): boolean {
  if (!isKey(key)) return false;
  return [id, name, args].every(isStringOrAbsent) && (input === undefined || isObject(input));
}

function isPart(part: Fields): boolean {
  switch (part["type"]) {
    case "text.delta":
    case "thinking.delta":
      return typeof part["delta"] === "string" && (part["block"] === undefined || isKey(part["block"]));
    case "tool.delta":
      return isToolDelta(part);
    case "media":
      return isMedia(part["block"]);
    case "provider":
      return isProviderBlock(part["block"]);
    case "ping":
      return true;
    case "usage":
      return isUsage(part["usage"]);
    case "finish":
      return (
        typeof part["reason"] === "string" &&
        isStringOrAbsent(part["responseId"]) &&
        (part["metadata"] === undefined || isObject(part["metadata"]))
      );
    default:
      return false;
  }
}

/** Throws `model/bad-response` for a value that is not a {@link StreamPart}. */
export function checkPart(part: StreamPart): void {
  if (isObject(part) && isPart(part)) return;
  const found = (JSON.stringify(part) ?? typeof part).slice(0, 200);
  throw new AgentError("model/bad-response", `The model streamed a value that is not a StreamPart: ${found}`);
}
