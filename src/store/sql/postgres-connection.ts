import type { Pool } from "pg";
import * as s from "../../core/base/option-schema.ts";

/** The connection of a store in Postgres: either a `connectionString` or a `pool`. */
export type PostgresConnection = {
  /** `postgres://…`. The store connects when first used and disconnects when closed. */
  readonly connectionString?: string | undefined;
  /** A pool of the package `pg`, which the caller ends. */
  readonly pool?: Pool | undefined;
  /** The schema of the tables, made when first used; default `agentchart`. */
  readonly schema?: string | undefined;
};

/** The schemas of {@link PostgresConnection}. */
export const connectionShape = () => ({
  connectionString: s.optional(s.secret()),
  pool: s.optional(s.having<Pool>("connect", "a pool of the package pg")),
  schema: s.optional(
    s.matching(/^[a-z_][a-z0-9_]{0,50}$/u, "a lower-case name of at most 51 letters, digits and underscores"),
  ),
});

/** The rule about the whole of {@link PostgresConnection}. */
export const isConnection = ({ connectionString, pool }: PostgresConnection): boolean =>
  (connectionString === undefined) !== (pool === undefined);
/** The options that {@link isConnection} expects. */
export const CONNECTION = "either `connectionString` or `pool`";
