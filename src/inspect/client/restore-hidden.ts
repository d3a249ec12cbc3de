import { isObject, type Json, type JsonObject } from "../../core/base/json.ts";
import { REDACTED, restoreRedacted } from "../../core/base/secrets.ts";

/** Returns edited arguments with the parts that the page did not get, secrets and long strings, as they were. */
export function restoreHidden(edited: JsonObject, original: JsonObject): JsonObject {
  return restoreRedacted(edited, original, isBlob);
}

function isBlob(edited: Json, original: Json): boolean {
  return isObject(edited) && typeof edited["$blob"] === "string" && typeof original === "string";
}

/** Returns an edited value with the parts that the page did not get. It is undefined if there are such parts and a list has another length,
 *  so that they cannot be assigned. */
export function restoredValue(edited: Json, original: Json): Json | undefined {
  if (!hasHidden(edited)) return edited;
  if (!hasSameLists(edited, original)) return undefined;
  const { value } = restoreHidden({ value: edited }, { value: original });
  return hasHidden(value!) && !hasHidden(original) ? undefined : value;
}

function hasHidden(value: Json): boolean {
  if (value === REDACTED) return true;
  if (Array.isArray(value)) return value.some((each: Json) => hasHidden(each));
  return (
    isObject(value) &&
    (typeof value["$blob"] === "string" || (Object.values(value) as Json[]).some(hasHidden))
  );
}

function hasSameLists(edited: Json, original: Json | undefined): boolean {
  if (Array.isArray(edited))
    return (
      Array.isArray(original) &&
      original.length === edited.length &&
      edited.every((each: Json, index) => hasSameLists(each, (original as readonly Json[])[index]))
    );
  if (!isObject(edited)) return true;
  const fields = isObject(original) ? (original as JsonObject) : {};
  return Object.entries(edited).every(([key, each]) =>
    !isObject(each) && !Array.isArray(each) ? true : hasSameLists(each as Json, fields[key]),
  );
}
