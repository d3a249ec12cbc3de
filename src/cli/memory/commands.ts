import { existsSync } from "node:fs";
import type { Memory, MemoryStore } from "../../agent/memory/port.ts";
import { postgresMemory } from "../../agent/memory/postgres.ts";
import { sqliteMemory } from "../../agent/memory/sqlite.ts";
import { AgentError } from "../../base/error.ts";
import type { Handler } from "../define-command.ts";
import { redactPassword } from "../open-store.ts";
import { formatTime, printItems, printResult, printsJson } from "../output.ts";
import { UsageError } from "../usage-error.ts";
import { withCleanup } from "../with-cleanup.ts";
import type * as definitions from "./definitions.ts";

function openMemory(spec: string): MemoryStore {
  const [, kind, path = ""] = /^(sqlite|postgres(?:ql)?):(.+)$/s.exec(spec) ?? [];
  if (kind === undefined)
    throw new UsageError(
      `Unknown store "${redactPassword(spec)}": use --memory sqlite:PATH or postgres://….`,
    );
  if (kind !== "sqlite") return postgresMemory({ connectionString: spec });
  if (!existsSync(path)) throw new UsageError(`There is no memory at ${path}.`);
  return sqliteMemory({ path });
}

function withMemory<T>(spec: string, use: (memory: MemoryStore) => Promise<T>): Promise<T> {
  const memory = openMemory(spec);
  return withCleanup(
    () => use(memory),
    () => memory.close(),
  );
}

async function* memoriesOf(store: MemoryStore, scope: string): AsyncGenerator<Memory> {
  let cursor: string | undefined;
  do {
    const page = await store.list(scope, cursor === undefined ? {} : { cursor });
    yield* page.memories;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

/** `agentchart memory ls`. */
export const listCommand: Handler<typeof definitions.list> = ({ args: { scope }, flags }, io) =>
  withMemory(flags.memory, async (store) => {
    const rowOf = ({ id, at, text }: Memory): readonly string[] => [id, formatTime(at), text];
    const none = `Nothing is remembered of ${scope}.`;
    await printItems(io, flags, memoriesOf(store, scope), ["ID", "AT", "MEMORY"], rowOf, none);
    return 0;
  });

/** `agentchart memory show`. */
export const showCommand: Handler<typeof definitions.show> = ({ args: { scope, id }, flags }, io) =>
  withMemory(flags.memory, async (store) => {
    for await (const memory of memoriesOf(store, scope)) {
      if (memory.id !== id) continue;
      const { text, at, expiresAt, meta } = memory;
      const until = expiresAt === undefined ? "" : `, until ${formatTime(expiresAt)}`;
      const shown = `${text}\n${formatTime(at)}${until}, ${JSON.stringify(meta)}`;
      io.stdout.write(`${printsJson(io, flags) ? JSON.stringify(memory) : shown}\n`);
      return 0;
    }
    throw new AgentError("config/invalid", `There is no memory ${id} of ${scope}.`);
  });

/** `agentchart memory rm`. */
export const removeCommand: Handler<typeof definitions.remove> = ({ args: { scope }, flags }, io) => {
  const { id, all } = flags;
  if (all === id.length > 0) throw new UsageError("Say what to delete: either --id ID or --all.");
  return withMemory(flags.memory, async (store) => {
    const removed = await store.remove(scope, all ? undefined : id);
    printResult(io, flags, `Deleted ${removed} memories of ${scope}.`, { scope, removed });
    return removed === 0 && !all ? 1 : 0;
  });
};
