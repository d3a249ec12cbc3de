import { isObject, type JsonObject } from "../core/base/json.ts";

/** True for the labels of a session inside of a call of another one, which drives it; one in the background is driven by workers. */
export function isInnerSession({ parent }: JsonObject): boolean {
  return isObject(parent) && parent["isBackground"] !== true;
}
