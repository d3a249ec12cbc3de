import { AgentError } from "../core/base/error.ts";
import { unref } from "../core/base/time.ts";
import type { Lease, SessionStore } from "../store/port.ts";
import { leaseLost } from "../store/append-check.ts";

/** A lease that its holder keeps as long as its process lives. */
export type KeptLease = {
  readonly lease: Lease | undefined;
  /** Resolves when the renewal that has begun has succeeded or failed. */
  renewedBy(renewal: Promise<Lease>): Promise<void>;
};

/** Leases that are renewed in one operation. */
const TOGETHER = 1_000;

/** Renews the leases of all sessions that this process has in one store, at every third of their duration. */
export class LeaseKeeper {
  readonly #store: SessionStore;
  readonly #leaseMs: number;
  readonly #kept = new Set<KeptLease>();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: SessionStore, leaseMs: number) {
    this.#store = store;
    this.#leaseMs = leaseMs;
  }

  add(kept: KeptLease): void {
    this.#kept.add(kept);
    this.#timer ??= unref(setInterval(() => this.#renew(), this.#leaseMs / 3));
  }

  remove(kept: KeptLease): void {
    this.#kept.delete(kept);
    if (this.#kept.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #renew(): void {
    const held = [...this.#kept].flatMap((kept) => (kept.lease ? [{ kept, lease: kept.lease }] : []));
    if (!this.#store.renewAll)
      for (const { kept, lease } of held) void kept.renewedBy(this.#store.renew(lease, this.#leaseMs));
    else
      for (let from = 0; from < held.length; from += TOGETHER)
        this.#renewTogether(held.slice(from, from + TOGETHER));
  }

  #renewTogether(held: readonly { readonly kept: KeptLease; readonly lease: Lease }[]): void {
    const leases = held.map(({ lease }) => lease);
    const renewal = this.#store.renewAll!(leases, this.#leaseMs);
    for (const [index, { kept, lease }] of held.entries()) {
      const renewed = renewal.then(
        (all) => {
          const own = all[index];
          if (!own) throw leaseLost(lease.sessionId, lease.fence);
          return own;
        },
        (error: unknown) => {
          // One of several databases is away: the sessions of the others go on.
          if (!AgentError.is(error) || !error.data?.["partitions"]) throw error;
          return this.#store.renew(lease, this.#leaseMs);
        },
      );
      void kept.renewedBy(renewed);
    }
  }
}

const keepers = new WeakMap<SessionStore, Map<number, LeaseKeeper>>();

/** Renews a lease in time, with all others of the process and the store that last as long. It does so until the lease is removed from the
 *  keeper that is returned. */
export function keepLease(store: SessionStore, leaseMs: number, kept: KeptLease): LeaseKeeper {
  const ofStore = keepers.get(store) ?? new Map<number, LeaseKeeper>();
  keepers.set(store, ofStore);
  const keeper = ofStore.get(leaseMs) ?? new LeaseKeeper(store, leaseMs);
  ofStore.set(leaseMs, keeper);
  keeper.add(kept);
  return keeper;
}
