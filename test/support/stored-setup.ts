import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startPostgres } from "./postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the stored mode may keep files. */
    readonly storedFolder: string;
    /** A Postgres for the stored mode, if there is one. */
    readonly storedPostgres: string | undefined;
  }
}

/** One folder and one Postgres for all tests of the stored mode. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), "agentchart-stored-"));
  const server = await startPostgres();
  project.provide("storedFolder", folder);
  project.provide("storedPostgres", server?.connectionString);
  return async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}
