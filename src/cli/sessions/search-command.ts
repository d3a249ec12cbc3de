import type { FoundSession, SessionSearch, SessionStore } from "../../store/port.ts";
import type { Handler } from "../define-command.ts";
import { withExistingStore } from "../open-store.ts";
import { formatTime, printItems } from "../output.ts";
import { paginate } from "../paginate.ts";
import type { search as definition } from "./definitions.ts";

const HEAD = ["SESSION", "AGENT", "PHASE", "REASON", "COST", "UPDATED", "TITLE"];

/** `agentchart sessions search`. */
export const searchCommand: Handler<typeof definition> = async ({ args: { text }, flags }, io) => {
  const { agent, phase, reason, tool, within, minCost, maxCost, prefix } = flags;
  const { limit = Number.POSITIVE_INFINITY } = flags;
  const query: SessionSearch = {
    onProgress: (done, total) => io.terminal.status(`Indexed ${done} of ${total} sessions`),
    ...(text !== undefined && { text }),
    ...(agent !== undefined && { agent }),
    ...(phase && { phases: [phase] }),
    ...(reason && { reasons: [reason] }),
    ...(tool !== undefined && { tool }),
    ...(within !== undefined && { since: Date.now() - within }),
    ...(minCost !== undefined && { minCost }),
    ...(maxCost !== undefined && { maxCost }),
    ...(prefix !== undefined && { prefix }),
  };
  return withExistingStore(flags.store, async (store) => {
    await printItems(io, flags, foundIn(store, query, limit), HEAD, rowOf, "No session matches.");
    return 0;
  });
};

function foundIn(store: SessionStore, query: SessionSearch, limit: number): AsyncIterable<FoundSession> {
  return paginate(limit, async (page) => {
    const { sessions: items, cursor } = await store.search!({ ...query, ...page });
    return { items, cursor };
  });
}

function rowOf({ sessionId, agent, phase, reason, usage, updatedAt, meta, title }: FoundSession): string[] {
  const cost = usage.cost === undefined ? "" : usage.cost.toFixed(4);
  const name = typeof meta["title"] === "string" ? meta["title"] : title;
  return [sessionId, agent ?? "", phase, reason ?? "", cost, formatTime(updatedAt), name ?? ""];
}
