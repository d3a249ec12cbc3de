import type { LRUCache } from "lru-cache";
import type { InboxAgent } from "../agent/inbox-agent.ts";
import type { SessionCache } from "../session/cached-sessions.ts";
import type { SessionStore } from "../store/port.ts";
import type { Permits } from "./places.ts";
import type { WakeQueue } from "./queue/port.ts";
import type { Report } from "./report.ts";
import type { WorkerAgents } from "./types.ts";

/** The objects that the jobs of a worker share. */
export type WorkerContext = {
  readonly queue: WakeQueue;
  readonly store: SessionStore;
  readonly agents: WorkerAgents;
  readonly report: Report;
  readonly permits: Permits;
  readonly cache: SessionCache;
  readonly now: () => number;
  readonly leaseMs: number;
  readonly pollMs: number;
  readonly retryMs: number;
  readonly maxCrashes: number;
  readonly maxTries: number;
  readonly unknownAgentMs: number;
  /** By session: the number of `retryMs` for which it was requeued last because it could not be opened. */
  readonly backoffs: LRUCache<string, number>;
  /** By session: how often in a row its agent could not be made, or was unknown. */
  readonly failedTries: LRUCache<string, number>;
  /** By session: when its requeued wake-up is due, epoch ms. */
  readonly requeuedUntil: LRUCache<string, number>;
  /** The agents of open sessions, by session id. */
  readonly running: Map<string, InboxAgent>;
  readonly isDraining: () => boolean;
};
