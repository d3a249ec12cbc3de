import { defineSlot } from "../../core/tool/slot.ts";
import type { SlotReader, SlotWrites } from "../../core/tool/types.ts";
import { hasChanged } from "./failures.ts";
import { AgentError } from "../../core/base/error.ts";
import { shownText } from "./shown-text.ts";

/** The contents that a session has read or written: their hashes by their paths, the oldest first. */
export type SeenFiles = { readonly [path: string]: string };

/** The characters of the slot, whose value has at most 64 KB. */
const MAX_SIZE = 40_000;
const HASH_LENGTH = 64;

/** Holds the hash of every file that the session has read or written: a file that was not read, or has changed since, is not written.
 *  Where there are too many, the oldest ones are forgotten and have to be read again. */
export const filesSlot = defineSlot<SeenFiles>({ name: "files", initial: {} });

/** Returns the slots with a file, which counts as the one that was seen last. A hash of null forgets it. */
export function withSeen(slots: SlotReader, path: string, hash: string | null): SlotWrites {
  const { [path]: _, ...others } = slots.get(filesSlot);
  const entries = Object.entries(others);
  if (hash !== null) entries.push([path, hash]);
  let size = entries.reduce((sum, [each]) => sum + Buffer.byteLength(each) + HASH_LENGTH + 8, 0);
  while (size > MAX_SIZE) size -= Buffer.byteLength(entries.shift()![0]) + HASH_LENGTH + 8;
  return { files: Object.fromEntries(entries) };
}

/** Returns the hash with which a session has seen a file that is there with `hash` now, to be expected by a write. Throws if it has not
 *  read the file, or has read another content. */
export function expectedHash(slots: SlotReader, path: string, hash: string): string {
  const seen = slots.get(filesSlot);
  if (!Object.hasOwn(seen, path))
    throw new AgentError(
      "workspace/changed",
      `'${shownText(path)}' was not read yet; read it before you change it.`,
    );
  if (seen[path] !== hash) throw hasChanged(path);
  return hash;
}
