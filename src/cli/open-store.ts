import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { SessionStore } from "../store/port.ts";
import { ending } from "./ending.ts";
import { UsageError } from "./usage-error.ts";

/** Opens the store that `--store` names; `~/.agentchart/sessions` if it names none. Throws a {@link UsageError} for what is
 *  no store. */
export async function openStore(
  spec = `file:${join(homedir(), ".agentchart", "sessions")}`,
): Promise<SessionStore> {
  const { kind, path } = partsOf(spec);
  switch (kind) {
    case "file": {
      const { fileStore } = await import("../store/file.ts");
      return fileStore({ dir: path });
    }
    case "sqlite": {
      const { sqliteStore } = await import("../store/sqlite.ts");
      return sqliteStore({ path });
    }
    case "postgres":
    case "postgresql": {
      const { postgresStore } = await import("../store/postgres.ts");
      return postgresStore({ connectionString: spec });
    }
    default:
      throw new UsageError(
        `There is no such store: say --store file:DIR, sqlite:PATH or postgres://…, not "${withoutPassword(spec)}".`,
      );
  }
}

/** As {@link withStore}, for who looks for what is stored: a folder or a database that is not there is said to be missing,
 *  not made. */
export function withFoundStore<T>(
  spec: string | undefined,
  use: (store: SessionStore) => Promise<T>,
): Promise<T> {
  const { kind, path } = partsOf(spec ?? "");
  if ((kind === "file" || kind === "sqlite") && !existsSync(path))
    throw new UsageError(`There is no store at ${path}.`);
  return withStore(spec, use);
}

/** Calls `use` with the store that `--store` names and closes it. */
export async function withStore<T>(
  spec: string | undefined,
  use: (store: SessionStore) => Promise<T>,
): Promise<T> {
  const store = await openStore(spec);
  return ending(
    () => use(store),
    () => store.close(),
  );
}

/** What kind of store is named, and for one in files its absolute path. */
function partsOf(spec: string): { readonly kind: string | undefined; readonly path: string } {
  const [, kind, place = ""] = /^(file|sqlite|postgres(?:ql)?):(.+)$/s.exec(spec) ?? [];
  return { kind, path: resolve(fromHome(place)) };
}

/** A shell leaves the tilde of `file:~/sessions` to us. */
function fromHome(path: string): string {
  return path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;
}

/** What `--store` said, without a password. */
export function withoutPassword(spec: string): string {
  return spec
    .replace(/^(\w+:\/\/[^/@:]*):[^/]*@/, "$1:***@")
    .replaceAll(/([?&](?:ssl)?password=)[^&]*/gi, "$1***");
}
