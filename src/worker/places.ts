import { delayOf } from "../core/base/time.ts";
import { newId } from "../core/message/msg.ts";
import { endsWithin } from "../store/deadlines.ts";
import { newOwner } from "../store/leases.ts";
import type { Lease, SessionStore } from "../store/port.ts";
import { OWN_PREFIX } from "../store/shared.ts";
import type { TenantLimits } from "./types.ts";

/** The places of a worker: as many sessions as run in it at once. */
export class Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Takes a place if there is a free one. */
  tryTake(): boolean {
    if (this.#free === 0) return false;
    this.#free--;
    return true;
  }

  /** Takes a place, in the order of the calls; waits while there is none. */
  async take(): Promise<void> {
    if (this.tryTake()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    await promise;
  }

  /** Gives a place back. */
  give(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}

/** The prefix of the lease ids of permits. */
const PERMIT_PREFIX = `${OWN_PREFIX}permit/`;
/** The number of slots that are tried for one permit. */
const MAX_SLOTS_TRIED = 16;

/** The right to run one session of a tenant. */
export interface Permit {
  /** Ends the permit. */
  release(): Promise<void>;
  /** Takes the permit back out of the rate, because no session was started. */
  refund(): Promise<void>;
}

/** Returns the slots of a limit in the order in which they are tried, from a random one on. */
function slotOrder(count: number): readonly number[] {
  const first = Math.floor(Math.random() * count);
  return Array.from({ length: Math.min(count, MAX_SLOTS_TRIED) }, (_, index) => (first + index) % count);
}

/**
 * Enforces the limits of tenants over all workers of a store. Each slot of a limit is a lease of the store: a slot of
 * `concurrency` is renewed and released, a slot of `rate` expires after its period.
 */
export class Permits {
  readonly #store: SessionStore;
  readonly #limits: { readonly [tenant: string]: TenantLimits };
  readonly #leaseMs: number;

  constructor(store: SessionStore, limits: { readonly [tenant: string]: TenantLimits }, leaseMs: number) {
    this.#store = store;
    this.#limits = limits;
    this.#leaseMs = leaseMs;
  }

  /** True if no tenant has a limit. */
  get areFree(): boolean {
    return Object.keys(this.#limits).length === 0;
  }

  /** Returns undefined while the tenant has reached a limit. */
  async acquire(tenant = ""): Promise<Permit | undefined> {
    const limits = Object.hasOwn(this.#limits, tenant) ? this.#limits[tenant] : this.#limits["*"];
    const { concurrency, rate } = limits ?? {};
    const slot =
      concurrency === undefined ? undefined : await this.#lease(tenant, "slot", concurrency, this.#leaseMs);
    if (concurrency !== undefined && !slot) return undefined;
    const started = rate && (await this.#lease(tenant, "rate", rate.max, rate.perMs));
    if (rate && !started) {
      if (slot) await this.#store.release(slot);
      return undefined;
    }
    return {
      release: slot ? this.#keep(slot) : async () => {},
      refund: async () => {
        if (started) await this.#store.release(started).catch(() => {});
      },
    };
  }

  async #lease(
    tenant: string,
    kind: "slot" | "rate",
    count: number,
    ttlMs: number,
  ): Promise<Lease | undefined> {
    for (const slot of slotOrder(count)) {
      const id = `${PERMIT_PREFIX}${kind}/${slot}/${tenant}`;
      // a start counts for its period, also if its process dies
      const owner = kind === "rate" ? `rate ${newId()}` : newOwner();
      const lease = await this.#store.acquire(id, { owner, ttlMs });
      if (lease) return lease;
    }
    return undefined;
  }

  /** Renews a lease until the returned function is called. */
  #keep(slot: Lease): () => Promise<void> {
    let lease = slot;
    const renew = async (): Promise<void> => {
      lease = await this.#store.renew(lease, this.#leaseMs);
    };
    const timer = setInterval(() => void renew().catch(() => {}), delayOf(this.#leaseMs / 3));
    timer.unref();
    return async () => {
      clearInterval(timer);
      const released = this.#store.release(lease).catch(() => {});
      await endsWithin(released, delayOf(this.#leaseMs)); // then it has expired
    };
  }
}
