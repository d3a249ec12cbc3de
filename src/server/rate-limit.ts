/** How often the bearer of one token may ask. */
export type RateLimit = {
  /** Requests a second in the long run. */
  readonly perSecond: number;
  /** Requests at once after a pause. */
  readonly burst: number;
};

/** A token bucket for each key: `burst` requests at once, `perSecond` in the long run. */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #now: () => number;
  readonly #buckets = new Map<string, { level: number; at: number }>();

  /** `now` is in ms. */
  constructor(limit: RateLimit, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Takes one request out of the key's bucket. 0, or the ms until there is room for one; then nothing was taken. */
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
