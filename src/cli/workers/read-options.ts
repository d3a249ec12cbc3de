import type { TenantLimits } from "../../worker/types.ts";
import type { GivenFlags } from "../read-flags.ts";
import { UsageError } from "../usage-error.ts";
import { countOf } from "../words.ts";

const UNITS_MS = { s: 1_000, min: 60_000, h: 3_600_000 } as const;

/** So many in a time, as "60/min". Throws a {@link UsageError} for anything else. */
export function rateOf(flags: GivenFlags): NonNullable<TenantLimits["rate"]> | undefined {
  const said = flags.text("rate");
  if (said === undefined) return undefined;
  const [, max, unit] = /^([1-9]\d{0,8})\/(s|min|h)$/.exec(said) ?? [];
  if (!max) throw new UsageError(`"--rate" must look like 5/s, 60/min or 1000/h, not "${said}".`);
  return { max: Number(max), perMs: UNITS_MS[unit as keyof typeof UNITS_MS] };
}

/** A port, 0 for any free one. Throws a {@link UsageError} for anything else. */
export function portOf(flags: GivenFlags, name: string): number | undefined {
  const said = flags.text(name);
  if (said === undefined) return undefined;
  if (!/^\d{1,5}$/.test(said) || Number(said) > 65_535)
    throw new UsageError(`"--${name}" must be a port from 0 to 65535, not "${said}".`);
  return Number(said);
}

/** What holds for every tenant of a worker. */
export function limitsOf(flags: GivenFlags): { readonly "*": TenantLimits } | undefined {
  const [concurrency, rate] = [countOf(flags, "max-per-tenant"), rateOf(flags)];
  if (concurrency === undefined && rate === undefined) return undefined;
  return { "*": { ...(concurrency !== undefined && { concurrency }), ...(rate && { rate }) } };
}
