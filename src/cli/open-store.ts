import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { configError } from "../core/base/error.ts";
import { hideSecrets } from "../core/base/secrets.ts";
import { openStoreOf } from "../store/open-store-of.ts";
import type { SessionStore } from "../store/port.ts";
import { UsageError } from "./usage-error.ts";
import { withClosing } from "./with-cleanup.ts";

/** The store of commands that are given none. */
export const DEFAULT_STORE = `file:${join(homedir(), ".agentchart", "sessions")}`;

/** Opens the store of `--store`, by default `file:~/.agentchart/sessions`. Rejects with a {@link UsageError} for an unknown
 *  kind of store, and for one in files that are not there if they must be. */
export async function openStore(given = DEFAULT_STORE, mustExist = false): Promise<SessionStore> {
  const { kind, path, spec } = parseStore(given);
  if (mustExist && isPath(kind) && !existsSync(path)) throw new UsageError(`There is no store at ${path}.`);
  if (kind === "file" && statSync(path, { throwIfNoEntry: false })?.isDirectory() === false)
    throw configError(`${path} is a file, and not the folder of a store.`);
  if (kind === "partitions") {
    const [{ partitionedStore }, { readPartitions }] = await Promise.all([
      import("../store/partitioned.ts"),
      import("./partitions-file.ts"),
    ]);
    return partitionedStore(await readPartitions(path, openStore));
  }
  const store = await openStoreOf(spec);
  if (store) return store;
  throw new UsageError(
    `Unknown store "${hideSecrets(spec)}": use --store file:DIR, sqlite:PATH, partitions:FILE or postgres://….`,
  );
}

/** Does the same as {@link withStore}, for commands that only look for stored sessions. It rejects with a {@link UsageError} if the folder
 *  or the database does not exist, instead of creating it. */
export async function withExistingStore<T>(
  spec: string | undefined,
  use: (store: SessionStore) => Promise<T>,
): Promise<T> {
  return withClosing(await openStore(spec, spec !== undefined), use);
}

/** Calls `use` with the store of `--store` and closes it. */
export async function withStore<T>(
  spec: string | undefined,
  use: (store: SessionStore) => Promise<T>,
): Promise<T> {
  return withClosing(await openStore(spec), use);
}

/** The kind of a store, the absolute path of one in files, and its text with this path. */
export function parseStore(given: string): {
  readonly kind: string | undefined;
  readonly path: string;
  readonly spec: string;
} {
  const [, kind, named = ""] = /^(file|sqlite|partitions|postgres(?:ql)?):(.+)$/s.exec(given) ?? [];
  const path = given === "sqlite::memory:" ? named : resolve(expandHome(named));
  return { kind, path, spec: isPath(kind) ? `${kind}:${path}` : given };
}

const isPath = (kind: string | undefined): boolean => kind !== undefined && !kind.startsWith("postgres");

/** Shells do not expand the tilde of `file:~/sessions`. */
function expandHome(path: string): string {
  return path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;
}
