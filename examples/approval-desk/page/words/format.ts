const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Dates, amounts and numbers as a locale writes them. */
export class Format {
  readonly #money: Intl.NumberFormat;
  readonly #cost: Intl.NumberFormat;
  readonly #count: Intl.NumberFormat;
  readonly #day: Intl.DateTimeFormat;
  readonly #time: Intl.DateTimeFormat;
  readonly #ago: Intl.RelativeTimeFormat;

  constructor(locale: string) {
    this.#money = new Intl.NumberFormat(locale, { style: "currency", currency: "EUR" });
    this.#cost = new Intl.NumberFormat(locale, {
      style: "currency",
      currency: "USD",
      maximumFractionDigits: 4,
    });
    this.#count = new Intl.NumberFormat(locale);
    this.#day = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
    this.#time = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
    this.#ago = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" });
  }

  euros(cents: number): string {
    return this.#money.format(cents / 100);
  }

  dollars(amount: number): string {
    return this.#cost.format(amount);
  }

  count(count: number): string {
    return this.#count.format(count);
  }

  /** A calendar day, such as "2026-11-24". */
  day(iso: string): string {
    return this.#day.format(new Date(iso));
  }

  time(at: number): string {
    return this.#time.format(at);
  }

  /** How long ago a time was. */
  ago(at: number, now: number): string {
    const past = Math.max(0, now - at);
    if (past < MINUTE_MS) return this.#ago.format(0, "second");
    if (past < HOUR_MS) return this.#ago.format(-Math.floor(past / MINUTE_MS), "minute");
    if (past < DAY_MS) return this.#ago.format(-Math.floor(past / HOUR_MS), "hour");
    return this.#ago.format(-Math.floor(past / DAY_MS), "day");
  }
}
