import type { FoundSession } from "../../store/port.ts";
import type { Handler } from "../define-command.ts";
import { withExistingStore } from "../open-store.ts";
import { formatTime, printItems } from "../output.ts";
import { foundBy } from "../paginate.ts";
import type { search as definition } from "./definitions.ts";

const HEAD = ["SESSION", "AGENT", "PHASE", "REASON", "COST", "UPDATED", "TITLE"];

/** `agentchart sessions search`. */
export const searchCommand: Handler<typeof definition> = async ({ args: { text }, flags }, io) => {
  const { agent, phase, reason, tool, within, minCost, maxCost, prefix, limit } = flags;
  const query = {
    ...{ text, agent, tool, minCost, maxCost, prefix },
    phases: phase && [phase],
    reasons: reason && [reason],
    since: within === undefined ? undefined : Date.now() - within,
    onProgress: (done: number, total: number) => io.terminal.status(`Indexed ${done} of ${total} sessions`),
  };
  return withExistingStore(flags.store, async (store) => {
    await printItems(io, flags, foundBy(store, query, limit), HEAD, rowOf, "No session matches.");
    return 0;
  });
};

function rowOf({ sessionId, agent, phase, reason, usage, updatedAt, meta, title }: FoundSession): string[] {
  const cost = usage.cost === undefined ? "" : usage.cost.toFixed(4);
  const name = typeof meta["title"] === "string" ? meta["title"] : title;
  return [sessionId, agent ?? "", phase, reason ?? "", cost, formatTime(updatedAt), name ?? ""];
}
