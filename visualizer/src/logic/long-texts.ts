import { isSame } from "../../../src/core/base/json.ts";
import type { Blob } from "../../../src/inspect/protocol/protocol.ts";
import type { Json, Path } from "../wire/types.ts";
import { pathText } from "./diff.ts";
import { isBlob, membersOf } from "./json-rows.ts";

/** Yields the long texts in a value, of which the page has only the beginnings, with their paths. */
export function* longTexts(value: Json, path: Path = []): Generator<readonly [path: string, text: Blob]> {
  if (isBlob(value)) yield [pathText(path), value];
  else for (const [key, member] of membersOf(value)) yield* longTexts(member, [...path, key]);
}

/** Returns the path of a long text that was edited though only its beginning is here: it can be replaced, not changed in part. */
export function editedInPart(edited: Json, original: Json): string | undefined {
  const before = new Map(longTexts(original));
  return [...longTexts(edited)].find(([path, text]) => !isSame(text, before.get(path)))?.[0];
}
