import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import type { Memory, MemoryStore, NewMemory } from "../../kit/memory/port.ts";
import { configError, messageOf } from "../../core/base/error.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import type { Handler } from "../define-command.ts";
import { openMemory } from "../open-memory.ts";
import { formatTime, printItems, printReport, printResult } from "../output.ts";
import { paginate } from "../paginate.ts";
import { parseJson } from "../read-json.ts";
import { UsageError } from "../usage-error.ts";
import { withClosing } from "../with-cleanup.ts";
import type * as definitions from "./definitions.ts";

function withMemory<T>(
  spec: string,
  use: (memory: MemoryStore) => Promise<T>,
  { mustExist = true }: { readonly mustExist?: boolean } = {},
): Promise<T> {
  return withClosing(openMemory(spec, { mustExist }), use);
}

/** The number of memories that are put at once. */
const BATCH = 500;

/** A line of an export; the id follows from the text, and the time is that of the import. */
type Exported = Omit<NewMemory, "vector"> & { readonly id?: string; readonly at?: number };

const exportedSchema = s.lazily(() =>
  s.options<Exported>({
    id: s.optional(s.string()),
    at: s.optional(s.number()),
    text: s.nonEmpty("a text"),
    meta: s.optional(s.object()),
    expiresAt: s.optional(s.number()),
  }),
);

/** The lines of a file that are not empty, with their numbers. */
async function readLines(file: string): Promise<readonly (readonly [number, string])[]> {
  try {
    const content = file === "-" ? await text(process.stdin) : await readFile(file, "utf8");
    const lines = content.split("\n").map((line, index) => [index + 1, line] as const);
    return lines.filter(([, line]) => line.trim() !== "");
  } catch (error) {
    throw new UsageError(`The memories cannot be read: ${messageOf(error)}`);
  }
}

/** The memory of a line; none if it has expired. */
function memoryOf(line: string, where: string): readonly NewMemory[] {
  const { text: said, meta = {}, expiresAt } = parsed(line, where);
  if (expiresAt !== undefined && expiresAt <= Date.now()) return [];
  return [{ text: said, meta, ...(expiresAt !== undefined && { expiresAt }) }];
}

function parsed(line: string, where: string): Exported {
  const value = parseJson(line, where) as Exported;
  check(exportedSchema(), value, where, "The memory");
  return value;
}

const memoriesOf = (store: MemoryStore, scope: string): AsyncIterable<Memory> =>
  paginate(
    (page) => store.list(scope, page),
    ({ memories }) => memories,
  );

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
      const { at, expiresAt, meta } = memory;
      const until = expiresAt === undefined ? "" : `, until ${formatTime(expiresAt)}`;
      const shown = `${memory.text}\n${formatTime(at)}${until}, ${JSON.stringify(meta)}`;
      printReport(io, flags, memory, () => shown);
      return 0;
    }
    throw configError(`There is no memory ${id} of ${scope}.`);
  });

/** `agentchart memory export`. */
export const exportCommand: Handler<typeof definitions.exportMemories> = ({ args: { scope }, flags }, io) =>
  withMemory(flags.memory, async (store) => {
    for await (const memory of memoriesOf(store, scope)) io.stdout.write(`${JSON.stringify(memory)}\n`);
    return 0;
  });

/** `agentchart memory import`. */
export const importCommand: Handler<typeof definitions.importMemories> = async (
  { args: { scope, file }, flags },
  io,
) => {
  const lines = await readLines(file);
  const memories = lines.flatMap(([number, line]) => memoryOf(line, `${file}, line ${number}`)).toReversed();
  const add = async (store: MemoryStore): Promise<number> => {
    for (let from = 0; from < memories.length; from += BATCH)
      await store.put(scope, memories.slice(from, from + BATCH));
    const text = `Added ${memories.length} memories to ${scope}.`;
    printResult(io, flags, text, { scope, added: memories.length });
    return 0;
  };
  return withMemory(flags.memory, add, { mustExist: false });
};

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
