import type { SessionInfo } from "../../store/port.ts";
import type { Handler } from "../define-command.ts";
import { withExistingStore } from "../open-store.ts";
import { formatTime, printItems } from "../output.ts";
import { sessionsOf } from "../paginate.ts";
import type { list } from "./definitions.ts";

const HEAD = ["SESSION", "PHASE", "POSITION", "UPDATED", "WAITS FOR", "TITLE"];

/** `agentchart sessions ls`. */
export const listCommand: Handler<typeof list> = async ({ flags }, io) =>
  withExistingStore(flags.store, async (store) => {
    const { prefix, phase, limit } = flags;
    const sessions = sessionsOf(store, { prefix, phase }, limit);
    await printItems(io, flags, sessions, HEAD, rowOf, "No session matches.");
    return 0;
  });

function rowOf({ sessionId, phase, seq, updatedAt, waitsFor, title = "" }: SessionInfo): string[] {
  return [sessionId, phase, String(seq), formatTime(updatedAt), waitsFor.join(", "), title];
}
