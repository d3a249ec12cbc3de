import type { Stats } from "node:fs";
import { join } from "node:path";
import type { FileAccess } from "./file-access.ts";
import { ifExists } from "./file-error.ts";
import { JOURNAL } from "./file-list.ts";
import type { SessionInfo } from "./port.ts";
import type { IndexChanges } from "./searcher.ts";
import type { ChangedSession, SearchIndex } from "./search-index.ts";

/** The file beside the sessions' folders in which they are searched. No folder of a session has this name. */
export const INDEX_FILE = "~search.sqlite";

/** A session's folder. */
type SessionFolder = { readonly sessionId: string; readonly folder: string };

/** The functions with which {@link fileChanges} reads folders. */
type FolderReader = {
  /** Returns what the file system says of some files; undefined for one that is not there. */
  stats(paths: readonly string[]): Promise<readonly (Stats | undefined)[]>;
  infoOf(folder: SessionFolder): Promise<SessionInfo | undefined>;
};

/** The number of files that are looked at without a break: about a millisecond. */
const FILES = 250;

/** See {@link FolderReader.stats}. The first file is looked at without blocking, which notices a disk that hangs; the others at once,
 *  which takes a twentieth of the time. */
export async function statsOf(access: FileAccess, paths: readonly string[]): Promise<(Stats | undefined)[]> {
  const [first, ...others] = paths;
  if (first === undefined) return [];
  const found = await ifExists(access.stat(first));
  return [found, ...others.map((path) => access.statAtOnce(path))];
}

/** Looks at any number of files. */
async function allStats(
  paths: readonly string[],
  stats: FolderReader["stats"],
): Promise<(Stats | undefined)[]> {
  const found: (Stats | undefined)[] = [];
  while (found.length < paths.length)
    found.push(...(await stats(paths.slice(found.length, found.length + FILES))));
  return found;
}

/** Finds the sessions whose journals have changed since they were indexed. Whoever wrote them need not know of the index. */
export async function fileChanges(
  folders: readonly SessionFolder[],
  index: SearchIndex,
  { stats, infoOf }: FolderReader,
): Promise<IndexChanges> {
  const known = new Map(await index.stamps());
  const journals = folders.map(({ folder }) => join(folder, JOURNAL));
  const found = await allStats(journals, stats);
  const stale = folders.flatMap((folder, place) => {
    const { ino, size, mtimeMs } = found[place] ?? {};
    const before = known.get(folder.sessionId);
    known.delete(folder.sessionId);
    const stamp = `${ino} ${size} ${mtimeMs}`;
    if (ino === undefined || before === stamp) return [];
    return [{ folder, stamp, isNew: before !== undefined && !before.startsWith(`${ino} `) }];
  });
  async function* changed(): AsyncGenerator<ChangedSession> {
    for (const { folder, stamp, isNew } of stale) {
      const info = await infoOf(folder);
      if (info) yield { info, stamp, isNew };
      else await index.remove(folder.sessionId);
    }
  }
  return { count: stale.length, changed: changed(), gone: [...known.keys()] };
}
