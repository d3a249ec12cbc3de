import type { SessionStore } from "./port.ts";

/** Opens the store that a text names: `file:DIR`, `sqlite:PATH`, or the address of a Postgres. Returns undefined for another kind, and
 *  rejects with what the store says. */
export async function openStoreOf(spec: string): Promise<SessionStore | undefined> {
  const [, kind, path = ""] = /^(file|sqlite|postgres(?:ql)?):(.+)$/s.exec(spec) ?? [];
  switch (kind) {
    case "file": {
      const { fileStore } = await import("./file.ts");
      return fileStore({ dir: path });
    }
    case "sqlite": {
      const { sqliteStore } = await import("./sqlite.ts");
      return sqliteStore({ path });
    }
    case "postgres":
    case "postgresql": {
      const { postgresStore } = await import("./postgres.ts");
      return postgresStore({ connectionString: spec });
    }
    default:
      return undefined;
  }
}
