import { AgentError } from "../core/base/error.ts";
import { builtin } from "../core/base/platform.ts";
import type { SessionStore } from "./port.ts";
import { Searcher, type IndexChanges, type SearcherOptions } from "./searcher.ts";
import { SearchIndex, type ChangedSession } from "./search-index.ts";
import { SQLITE_SEARCH } from "./search-sql.ts";
import { SqliteDatabase } from "./sqlite-database.ts";
import { INDEX_MIGRATIONS } from "./sqlite-schema.ts";
import { pagesOf } from "./pages.ts";

const IN_MEMORY = ":memory:";
const SESSIONS_PER_PAGE = 10_000;

/** True if the index cannot be read, or another release made it: it is made again. */
const isUnusable = (error: unknown): boolean =>
  AgentError.is(error) && (error.code === "session/damaged" || error.code === "session/version");

/** A searcher whose index is a SQLite file of its own, or in memory. */
export class LocalSearcher extends Searcher {
  readonly #path: string;
  readonly #opened: { db: SqliteDatabase | undefined };

  constructor(path: string, options: Pick<SearcherOptions, "changes" | "read">) {
    const opened: { db: SqliteDatabase | undefined } = { db: undefined };
    const open = async (isDamaged: boolean): Promise<SearchIndex> => {
      await opened.db?.close();
      if (isDamaged) await removeIndex(path);
      opened.db = await openDatabase(path);
      return new SearchIndex(opened.db, SQLITE_SEARCH);
    };
    super({ ...options, open, isDamage: isUnusable });
    this.#path = path;
    this.#opened = opened;
  }

  /** Removes a session from the index; the whole index, to be made again, if that is not possible. */
  override async remove(sessionId: string, isStored = false): Promise<void> {
    await super.remove(sessionId, isStored).catch(() => removeIndex(this.#path));
  }

  override async close(): Promise<void> {
    await super.close();
    await this.#opened.db?.close();
  }
}

/** Opens the index. One that may not be written is made in memory instead. */
async function openDatabase(path: string): Promise<SqliteDatabase> {
  const db = new SqliteDatabase(path, "never", 0, INDEX_MIGRATIONS);
  try {
    await db.query("search", ["SELECT count(*) FROM search_sessions", []]);
    return db;
  } catch (error) {
    await db.close();
    if (isUnusable(error) || (AgentError.is(error) && error.isRetryable)) throw error;
    return new SqliteDatabase(IN_MEMORY, "never", 0, INDEX_MIGRATIONS);
  }
}

async function removeIndex(path: string): Promise<void> {
  if (path === IN_MEMORY) return;
  for (const end of ["", "-wal", "-shm"])
    await builtin("node:fs")!.promises.rm(`${path}${end}`, { force: true });
}

/** Searches in the sessions of a store by an index in memory, which it makes of what the store lists. */
export function searcherOf(store: Pick<SessionStore, "list" | "read">): LocalSearcher {
  const changes = async (index: SearchIndex): Promise<IndexChanges> => {
    const changed: ChangedSession[] = [];
    const known = new Map(await index.stamps());
    for await (const { sessions } of pagesOf((from) => store.list({ limit: SESSIONS_PER_PAGE, ...from })))
      for (const info of sessions) {
        const stamp = `${info.seq} ${info.updatedAt} ${info.phase}`;
        if (known.get(info.sessionId) !== stamp) changed.push({ info, stamp });
        known.delete(info.sessionId);
      }
    return { count: changed.length, changed, gone: [...known.keys()] };
  };
  return new LocalSearcher(IN_MEMORY, { changes, read: (sessionId, range) => store.read(sessionId, range) });
}
