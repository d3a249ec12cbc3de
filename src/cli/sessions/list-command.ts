import type { Handler } from "../define-command.ts";
import { withExistingStore } from "../open-store.ts";
import { formatTime, printItems } from "../output.ts";
import { sessionsOf } from "../paginate.ts";
import type { list } from "./definitions.ts";

const HEAD = ["SESSION", "PHASE", "POSITION", "UPDATED", "WAITS FOR", "TITLE"];

/** `agentchart sessions ls`. */
export const listCommand: Handler<typeof list> = async ({ flags }, io) => {
  const { prefix, phase, limit = Number.POSITIVE_INFINITY } = flags;
  const filter = { ...(prefix !== undefined && { prefix }), ...(phase && { phase }) };
  return withExistingStore(flags.store, async (store) => {
    await printItems(
      io,
      flags,
      sessionsOf(store, filter, limit),
      HEAD,
      ({ sessionId, phase, seq, updatedAt, waitsFor, title = "" }) => [
        sessionId,
        phase,
        String(seq),
        formatTime(updatedAt),
        waitsFor.join(", "),
        title,
      ],
      "No session matches.",
    );
    return 0;
  });
};
