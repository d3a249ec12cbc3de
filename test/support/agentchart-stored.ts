import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileStore } from "agentchart/store/file";
import { memoryStore } from "agentchart/store/memory";
import { sqliteStore } from "agentchart/store/sqlite";
import { postgresStore } from "agentchart/store/postgres";
import { afterAll } from "vitest";
import { createAgent as create, type Agent, type AgentConfig, type SessionStore } from "../../src/index.ts";
import { startPostgres } from "./postgres.ts";

export * from "../../src/index.ts";

const folder = mkdtempSync(join(tmpdir(), "agentchart-stored-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
const server = await startPostgres();
const stores: SessionStore[] = [
  memoryStore(),
  fileStore({ dir: join(folder, "files") }),
  sqliteStore({ path: join(folder, "sessions.sqlite") }),
];
if (server) stores.push(postgresStore({ connectionString: server.connectionString }));
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await server?.stop();
});
let agents = 0;

/** Agents whose session lives in a store: in memory, in files, in SQLite and in Postgres by turns. */
export function createAgent<Ctx = unknown>(config: AgentConfig<Ctx>): Agent<Ctx> {
  if (config.store || config.snapshot) return create(config);
  return create({
    ...config,
    store: stores[agents++ % stores.length]!,
    sessionId: config.sessionId ?? randomUUID(),
  });
}
