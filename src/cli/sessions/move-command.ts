import { closeAll, readPartitions } from "../partitions-file.ts";
import { finishMove, movePartitions, type MoveProgress } from "../../store/move-partitions.ts";
import type { Partition } from "../../store/partition-map.ts";
import type { Handler, Values } from "../define-command.ts";
import { openStore, parseStore } from "../open-store.ts";
import { printResult } from "../output.ts";
import { UsageError } from "../usage-error.ts";
import { withCleanup } from "../with-cleanup.ts";
import type { move as definition } from "./definitions.ts";

/** The hash at which the range of all sessions ends. */
const ALL = 0xff_ff_ff_ff;

type Flags = Values<typeof definition.flags>;

async function partitionsOf({ store, from }: Flags): Promise<readonly Partition[]> {
  const { kind, path } = parseStore(store ?? "");
  if (from === undefined && kind === "partitions") return readPartitions(path, openStore);
  if (from === undefined || kind === "partitions")
    throw new UsageError("Say either --from STORE and a --store, or --store partitions:FILE.");
  const movesFrom = await openStore(from, true);
  try {
    return [{ store: await openStore(store), upTo: ALL, movesFrom }];
  } catch (error) {
    await movesFrom.close();
    throw error;
  }
}

/** `agentchart sessions move`. */
export const moveCommand: Handler<typeof definition> = async ({ flags }, io) => {
  const { settle, finish } = flags;
  const partitions = await partitionsOf(flags);
  const move = finish ? finishMove : movePartitions;
  let shown = 0;
  const onProgress = ({ moved, busy, removed }: MoveProgress): void => {
    const count = finish ? removed : moved;
    if (count < shown + 100) return;
    shown = count;
    io.terminal.note(`${count} so far; ${busy} are in use.`);
  };
  return withCleanup(
    async () => {
      const options = { onProgress, ...(settle !== undefined && { settleMs: settle }) };
      const { moved, removed } = await move(partitions, options);
      const text = finish ? `Removed what was left of ${removed}.` : `Moved ${moved}.`;
      printResult(io, flags, text, finish ? { removed, moved } : { moved });
      if (!finish) io.terminal.note("Once no process uses the former store: the same command with --finish.");
      return 0;
    },
    () => closeAll(partitions.flatMap(({ store, movesFrom }) => (movesFrom ? [store, movesFrom] : [store]))),
  );
};
