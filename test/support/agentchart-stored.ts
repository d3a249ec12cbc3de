import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileStore } from "agentchart/store/file";
import { memoryStore } from "agentchart/store/memory";
import { sqliteStore } from "agentchart/store/sqlite";
import { createAgent as create, type Agent, type AgentConfig } from "../../src/index.ts";

export * from "../../src/index.ts";

const folder = mkdtempSync(join(tmpdir(), "agentchart-stored-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
const stores = [
  memoryStore(),
  fileStore({ dir: join(folder, "files") }),
  sqliteStore({ path: join(folder, "sessions.sqlite") }),
];
let agents = 0;

/** Agents whose session lives in a store: in memory, in files and in SQLite by turns. */
export function createAgent<Ctx = unknown>(config: AgentConfig<Ctx>): Agent<Ctx> {
  if (config.store || config.snapshot) return create(config);
  return create({
    ...config,
    store: stores[agents++ % stores.length]!,
    sessionId: config.sessionId ?? randomUUID(),
  });
}
