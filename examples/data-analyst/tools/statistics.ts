export const METRICS = ["count", "distinct", "sum", "mean", "median", "min", "max", "stddev"] as const;
export type Metric = (typeof METRICS)[number];

const MOST_DECIMALS = 6;

function decimalsOf(value: number): number {
  const [, fraction = "", exponent] = /^-?\d+(?:\.(\d+))?(e-\d+)?$/.exec(String(value)) ?? [];
  return exponent === undefined ? fraction.length : MOST_DECIMALS;
}

/** Rounded to `decimals` places; a value below 1 keeps at least three significant digits. */
function roundTo(value: number, decimals: number): number {
  const rounded = Number(value.toFixed(decimals));
  if (Math.abs(value) >= 1 || value === 0) return rounded;
  return Math.abs(rounded - value) > Math.abs(value) / 1000 ? Number(value.toPrecision(3)) : rounded;
}

/** The sum with Neumaier's compensation: its error does not grow with the number of values. */
function sumOf(values: readonly number[]): number {
  let sum = 0;
  let lost = 0;
  for (const value of values) {
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return sum + lost;
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function stddevOf(values: readonly number[]): number {
  const mean = sumOf(values) / values.length;
  return Math.sqrt(sumOf(values.map((value) => (value - mean) ** 2)) / (values.length - 1));
}

function compute(metric: Metric, values: readonly number[]): number | null {
  if (metric === "count") return values.length;
  if (metric === "distinct") return new Set(values).size;
  if (values.length === 0 || (metric === "stddev" && values.length < 2)) return null;
  if (metric === "sum") return sumOf(values);
  if (metric === "mean") return sumOf(values) / values.length;
  if (metric === "median") return medianOf(values);
  if (metric === "min") return values.reduce((least, value) => Math.min(least, value));
  if (metric === "max") return values.reduce((most, value) => Math.max(most, value));
  return stddevOf(values);
}

/** The metrics of the values. Sums keep the values' decimals; means, medians and the sample standard deviation have at
 *  least two. Null where a metric has no value: anything of no values, the deviation of one. */
export function statisticsOf(
  values: readonly number[],
  metrics: readonly Metric[],
): Record<string, number | null> {
  const decimals = values.reduce(
    (most, value) => Math.max(most, Math.min(MOST_DECIMALS, decimalsOf(value))),
    0,
  );
  return Object.fromEntries(
    metrics.map((metric) => {
      const value = compute(metric, values);
      const exact = metric === "sum" || metric === "min" || metric === "max";
      return [metric, value === null ? null : roundTo(value, exact ? decimals : Math.max(2, decimals))];
    }),
  );
}
