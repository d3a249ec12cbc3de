import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { fileStore } from "agentchart/store/file";
import { memoryStore } from "agentchart/store/memory";
import { sqliteStore } from "agentchart/store/sqlite";
import { postgresStore } from "agentchart/store/postgres";
import { inject } from "vitest";
import { createAgent as create, type Agent, type AgentConfig, type SessionStore } from "../../src/index.ts";
import { isListed, isSound, type Listed } from "./listed.ts";

export * from "../../src/index.ts";

const folder = join(inject("storedFolder"), String(process.pid));
const connectionString = inject("storedPostgres");
const stores: SessionStore[] = [
  memoryStore(),
  fileStore({ dir: join(folder, "files") }),
  sqliteStore({ path: join(folder, "sessions.sqlite") }),
];
if (connectionString !== undefined) stores.push(postgresStore({ connectionString }));
let agents = 0;

/** Tests of the agent suite whose agents have no store, and why. */
export const NOT_STORED: Listed = {
  "F2 an interrupt before the turn has begun to reason":
    "a session in a store is read first: until then no turn runs that could be interrupted",
  "goes on from the snapshot of the outermost one without a store": "is about what the snapshot alone has",
};

/** Agents whose session lives in a store: in memory, in files, in SQLite and in Postgres by turns. */
export function createAgent<Ctx = unknown>(config: AgentConfig<Ctx>): Agent<Ctx> {
  if (!isSound(config) || config.store || config.sessionOptions?.snapshot || isListed(NOT_STORED))
    return create(config);
  return create({
    ...config,
    store: stores[agents++ % stores.length]!,
    sessionId: config.sessionId ?? randomUUID(),
  });
}
