import { AgentError } from "../../core/base/error.ts";
import type { Workspace } from "./port.ts";

/** The directories that are never gone into: they are large, and not written by people. */
const SKIPPED = new Set([".git", "node_modules"]);
const MAX_ENTRIES = 100_000;
const MAX_DEPTH = 64;

/** Yields the files below a directory by their paths from the root, in the order of their names. Links are not followed; `.git` and
 *  `node_modules` are not gone into, nor is what cannot be opened. At most 100,000 entries are looked at. */
export async function* filesBelow(
  workspace: Workspace,
  from: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let left = MAX_ENTRIES;
  const below = async function* (dir: string, depth: number): AsyncGenerator<string> {
    for (const { name, type } of await entriesOf(workspace, dir, depth === 0)) {
      signal.throwIfAborted();
      if (left-- <= 0) return;
      const path = dir === "" ? name : `${dir}/${name}`;
      if (type === "file") yield path;
      else if (type === "directory" && !SKIPPED.has(name) && depth < MAX_DEPTH) yield* below(path, depth + 1);
    }
  };
  yield* below(from, 0);
}

async function entriesOf(workspace: Workspace, dir: string, isFirst: boolean) {
  try {
    return await workspace.list(dir);
  } catch (error) {
    if (isFirst || (AgentError.is(error) && error.code === "workspace/gone")) throw error;
    return [];
  }
}
