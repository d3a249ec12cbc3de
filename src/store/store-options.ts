import * as s from "../core/base/option-schema.ts";
import { localShape, type LocalStoreOptions } from "./local-options.ts";
import {
  CONNECTION,
  connectionShape,
  isConnection,
  type PostgresConnection,
} from "./sql/postgres-connection.ts";

/** Options of {@link memoryStore}. */
export type MemoryStoreOptions = {
  /** The clock of leases and lists, epoch ms; default `Date.now`. */
  readonly now?: (() => number) | undefined;
};

/** The schema of {@link MemoryStoreOptions}. */
export const memorySchema = s.lazily(() => s.options<MemoryStoreOptions>({ now: s.optional(s.func()) }));

/** Options of {@link fileStore}. */
export type FileStoreOptions = LocalStoreOptions & {
  /** A folder on a local file system, made when first used; default `~/.agentchart/sessions`. */
  readonly dir?: string | undefined;
  /** The maximum time of an operation, ms; default 10,000. */
  readonly timeoutMs?: number | undefined;
};

/** The schema of {@link FileStoreOptions}. */
export const fileSchema = s.lazily(() =>
  s.options<FileStoreOptions>(
    {
      dir: s.optional(s.nonEmpty("the path of a folder")),
      ...localShape(),
      timeoutMs: s.optional(s.positive()),
    },
    { what: 'options, such as { dir: "./sessions" }' },
  ),
);

/** Options of {@link sqliteStore}. */
export type SqliteStoreOptions = LocalStoreOptions & {
  /** A file, made with its folder when first used, or `:memory:`. */
  readonly path: string;
};

/** The schema of {@link SqliteStoreOptions}. */
export const sqliteSchema = s.lazily(() =>
  s.options<SqliteStoreOptions>(
    { path: s.nonEmpty("the path of a file, or :memory:"), ...localShape() },
    { what: 'options, such as { path: "./sessions.db" }' },
  ),
);

/** Options of {@link postgresStore}. */
export type PostgresStoreOptions = PostgresConnection & {
  /** The clock of leases and lists, epoch ms; default: the clock of the database, so that workers' clocks need not agree. */
  readonly now?: (() => number) | undefined;
  /** The maximum time of an operation, ms, each of connecting, waiting for a lock, a query and closing; default 10,000. */
  readonly timeoutMs?: number | undefined;
};

/** The schema of {@link PostgresStoreOptions}. */
export const postgresSchema = s.lazily(() =>
  s.restricted(
    s.options<PostgresStoreOptions>(
      {
        ...connectionShape(),
        now: s.optional(s.func()),
        timeoutMs: s.optional(s.positive()),
      },
      { what: "options, such as { connectionString }" },
    ),
    isConnection,
    CONNECTION,
  ),
);
