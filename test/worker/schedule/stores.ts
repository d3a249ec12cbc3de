import { join } from "node:path";
import type { SessionStore } from "agentchart";
import { fileStore } from "agentchart/store/file";
import { memoryStore } from "agentchart/store/memory";
import { postgresStore } from "agentchart/store/postgres";
import { sqliteStore } from "agentchart/store/sqlite";
import { afterAll, onTestFinished } from "vitest";
import { startPostgres } from "../../support/postgres.ts";
import { scratch } from "../../store/scratch.ts";

/** The clock of workers and leases, epoch ms. */
export type Clock = { now: number };

const postgres = await startPostgres();
afterAll(async () => postgres?.stop());

let schemas = 0;

type Kind = { readonly kind: string; readonly open: (clock: Clock) => SessionStore };

/** Each kind of store, empty, on a clock; closed and removed when the test is over. */
export const STORES: readonly Kind[] = [
  { kind: "memory", open: (clock) => memoryStore({ now: () => clock.now }) },
  {
    kind: "file",
    open: (clock) => {
      const { dir, remove } = scratch();
      onTestFinished(remove);
      return closed(fileStore({ dir, now: () => clock.now }));
    },
  },
  {
    kind: "SQLite",
    open: (clock) => {
      const { dir, remove } = scratch();
      onTestFinished(remove);
      return closed(sqliteStore({ path: join(dir, "s.db"), now: () => clock.now }));
    },
  },
  ...(postgres
    ? [
        {
          kind: "Postgres",
          open: (clock: Clock) => {
            const schema = `schedules_${process.pid}_${schemas++}`;
            const { connectionString } = postgres;
            return closed(postgresStore({ connectionString, schema, now: () => clock.now }));
          },
        },
      ]
    : []),
];

function closed(store: SessionStore): SessionStore {
  onTestFinished(() => store.close());
  return store;
}
