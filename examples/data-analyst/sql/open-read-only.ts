import { constants, DatabaseSync } from "node:sqlite";

/** No value and no statement larger than this, so that `zeroblob(1e9)` fails instead of filling the memory. */
const LARGEST_VALUE_BYTES = 16 * 1024 * 1024;
const HEAP_BYTES = 512 * 1024 * 1024;

/** Opens a database file so that it cannot be changed: read-only and defensive, schema distrusted, memory bounded. */
export function openReadOnly(path: string): DatabaseSync {
  const database = new DatabaseSync(path, {
    readOnly: true,
    allowExtension: false,
    defensive: true,
    timeout: 1000,
  });
  database.exec(
    `PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA hard_heap_limit = ${HEAP_BYTES}`,
  );
  if (database.limits) database.limits.length = LARGEST_VALUE_BYTES;
  return database;
}

const READING = new Set<number>([
  constants.SQLITE_SELECT,
  constants.SQLITE_READ,
  constants.SQLITE_RECURSIVE,
  constants.SQLITE_FUNCTION,
]);
const BLOCKED_FUNCTIONS = new Set(["load_extension", "fts3_tokenizer"]);

/** From here on the connection refuses everything but reading: no ATTACH, PRAGMA, transaction or write. */
export function allowOnlyReads(database: DatabaseSync): void {
  database.setAuthorizer?.((action, first, second) => {
    if (action === constants.SQLITE_FUNCTION && BLOCKED_FUNCTIONS.has(second ?? ""))
      return constants.SQLITE_DENY;
    // Full-text tables ask for this one by themselves.
    if (action === constants.SQLITE_PRAGMA && first === "data_version") return constants.SQLITE_OK;
    return READING.has(action) ? constants.SQLITE_OK : constants.SQLITE_DENY;
  });
}
