import { LRUCache } from "lru-cache";

/** The keys that are counted; of more, those that were used longest ago are forgotten. */
const MAX_KEYS = 10_000;

/** A maximum rate of requests. */
export type RateLimit = {
  /** Requests per second on average, above 0. */
  readonly perSecond: number;
  /** Requests that are accepted at once after a pause, at least 1. */
  readonly burst: number;
};

/** A token bucket per key: `burst` requests at once, `perSecond` on average. */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #now: () => number;
  readonly #buckets = new LRUCache<string, { readonly level: number; readonly at: number }>({
    max: MAX_KEYS,
  });

  /** `now` returns a monotonic time in ms. */
  constructor(limit: RateLimit, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Takes one request from the bucket of the key. Returns 0, or the time in ms until the bucket has one. */
  take(key: string): number {
    const { perSecond, burst } = this.#limit;
    const now = this.#now();
    const bucket = this.#buckets.get(key) ?? { level: burst, at: now };
    const level = Math.min(burst, bucket.level + ((now - bucket.at) / 1000) * perSecond);
    const isAllowed = level >= 1;
    this.#buckets.set(key, { level: isAllowed ? level - 1 : level, at: now });
    return isAllowed ? 0 : Math.ceil(((1 - level) / perSecond) * 1000);
  }
}

/** Returns a limiter of wrong tokens, whose keys are the addresses of clients: 100 at once, then one a second. Ask it only about a
 *  request whose token is wrong, so that it never slows down one with a right token. */
export function wrongTokenLimiter(): RateLimiter {
  return new RateLimiter({ perSecond: 1, burst: 100 });
}

/** The value of `Retry-After` for a time in ms. */
export function retryAfter(waitMs: number): string {
  return String(Math.ceil(waitMs / 1_000));
}
