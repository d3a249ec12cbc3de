import type { SessionStore } from "agentchart";

/** A store that a child process can open too. */
export type StoreSpec =
  | { readonly kind: "file"; readonly dir: string }
  | { readonly kind: "sqlite"; readonly path: string }
  | {
      readonly kind: "postgres";
      readonly connectionString: string;
      readonly schema?: string;
      readonly timeoutMs?: number;
    };

export async function openStore(spec: StoreSpec): Promise<SessionStore> {
  if (spec.kind === "file") return (await import("agentchart/store/file")).fileStore({ dir: spec.dir });
  if (spec.kind === "sqlite")
    return (await import("agentchart/store/sqlite")).sqliteStore({ path: spec.path });
  const { postgresStore } = await import("agentchart/store/postgres");
  const { kind: _, ...options } = spec;
  return postgresStore(options);
}
