import { existsSync } from "node:fs";
import { hideSecrets } from "../core/base/secrets.ts";
import type { MemoryStore } from "../kit/memory/port.ts";
import { postgresMemory } from "../kit/memory/postgres.ts";
import { MAX_PER_SCOPE } from "../kit/memory/sql-memory.ts";
import { sqliteMemory } from "../kit/memory/sqlite.ts";
import { parseStore } from "./open-store.ts";
import { UsageError } from "./usage-error.ts";

/** Opens the store of memories of `--memory`; it drops none that the agent may have, whatever the bound of that one. Throws {@link UsageError} for another one, and for a file that is not there if it must be. */
export function openMemory(
  spec: string,
  { mustExist = false }: { readonly mustExist?: boolean } = {},
): MemoryStore {
  const { kind, path } = parseStore(spec);
  const maxPerScope = MAX_PER_SCOPE;
  if (kind?.startsWith("postgres")) return postgresMemory({ connectionString: spec, maxPerScope });
  if (kind !== "sqlite")
    throw new UsageError(`Unknown store "${hideSecrets(spec)}": use --memory sqlite:PATH or postgres://….`);
  if (mustExist && !existsSync(path)) throw new UsageError(`There is no memory at ${path}.`);
  return sqliteMemory({ path, maxPerScope });
}
