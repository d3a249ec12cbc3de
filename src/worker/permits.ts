import { randomUUID } from "node:crypto";
import type { Lease, SessionStore } from "../store/port.ts";
import type { TenantLimits } from "./types.ts";

/** Ids of permits begin so; no session may. */
export const PERMIT_PREFIX = "agentchart/permit/";
/** A permit that is full is looked for in so many places at most. */
const MAX_SLOTS_TRIED = 16;

export interface Permit {
  release(): Promise<void>;
  /** Nothing was begun: it does not count for the rate. */
  refund(): Promise<void>;
}

/** The places of one limit in the order they are tried: all of them, or some at random. */
function slotOrder(count: number): readonly number[] {
  const first = Math.floor(Math.random() * count);
  return Array.from({ length: Math.min(count, MAX_SLOTS_TRIED) }, (_, index) => (first + index) % count);
}

/**
 * Limits of tenants over all workers of a store. A permit is a lease of the store: one that is held while a session runs is
 * renewed and released, one of a rate simply lasts as long as its period.
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

  /** Undefined while the tenant has all that it may. */
  async acquire(tenant = ""): Promise<Permit | undefined> {
    const limits = Object.hasOwn(this.#limits, tenant) ? this.#limits[tenant] : this.#limits["*"];
    const { concurrency, rate } = limits ?? {};
    const held =
      concurrency === undefined ? undefined : await this.#lease(tenant, "slot", concurrency, this.#leaseMs);
    if (concurrency !== undefined && !held) return undefined;
    const begun = rate && (await this.#lease(tenant, "rate", rate.max, rate.perMs));
    if (rate && !begun) {
      if (held) await this.#store.release(held);
      return undefined;
    }
    return {
      release: held ? this.#hold(held) : async () => {},
      refund: async () => {
        if (begun) await this.#store.release(begun).catch(() => {});
      },
    };
  }

  async #lease(tenant: string, kind: string, count: number, ttlMs: number): Promise<Lease | undefined> {
    for (const place of slotOrder(count)) {
      const id = `${PERMIT_PREFIX}${kind}/${place}/${tenant}`;
      const lease = await this.#store.acquire(id, { owner: randomUUID(), ttlMs });
      if (lease) return lease;
    }
    return undefined;
  }

  /** Keeps a lease until what it gives is called. */
  #hold(held: Lease): () => Promise<void> {
    let lease = held;
    const renew = async (): Promise<void> => {
      lease = await this.#store.renew(lease, this.#leaseMs);
    };
    const timer = setInterval(() => void renew().catch(() => {}), this.#leaseMs / 3);
    timer.unref();
    return async () => {
      clearInterval(timer);
      await this.#store.release(lease).catch(() => {});
    };
  }
}
