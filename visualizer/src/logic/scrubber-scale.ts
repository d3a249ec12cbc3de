/**
 * The positions of steps on the scrubber, px. The width of a step is the logarithm of its duration; a rest longer
 * than a twentieth of all work is folded to a band.
 */
export type ScrubberScale = {
  /** The left edges of the steps, followed by the right end. */
  readonly edges: Float64Array;
  /** The indexes of the folded steps. */
  readonly folded: ReadonlySet<number>;
};

const BAND_PX = 28;
/** A shorter rest is not folded, ms. */
const MIN_FOLDED_MS = 1_000;

/**
 * Computes the scale of a scrubber.
 * @param durations - the duration of each step, ms
 * @param isRest - whether a step is a rest
 * @param width - the width of the scrubber, px
 */
export function scrubberScale(
  durations: Float64Array,
  isRest: (index: number) => boolean,
  width: number,
): ScrubberScale {
  const count = durations.length;
  const resting: number[] = [];
  let busy = 0;
  for (let index = 0; index < count; index++) {
    if (durations[index]! >= MIN_FOLDED_MS && isRest(index)) resting.push(index);
    else busy += durations[index]!;
  }
  const folded = new Set(resting.filter((index) => durations[index]! >= busy / 20));
  const band = Math.min(BAND_PX, folded.size === 0 ? BAND_PX : width / 3 / folded.size);
  const weights = new Float64Array(count);
  let total = 0;
  for (let index = 0; index < count; index++) {
    if (folded.has(index)) continue;
    weights[index] = 0.4 + Math.log10(1 + durations[index]! / 2);
    total += weights[index]!;
  }
  const perWeight = total === 0 ? 0 : (width - band * folded.size) / total;
  const edges = new Float64Array(count + 1);
  for (let index = 0; index < count; index++) {
    edges[index + 1] = edges[index]! + (folded.has(index) ? band : weights[index]! * perWeight);
  }
  return { edges, folded };
}

/** The index of the step at a position, or -1 if there are no steps. */
export function stepAt({ edges }: ScrubberScale, x: number): number {
  let low = 0;
  let high = edges.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (edges[middle]! <= x) low = middle;
    else high = middle - 1;
  }
  return high < 0 ? -1 : low;
}

/** Converts a position in one scale to the position in another scale of the same steps. */
export function convertPosition(x: number, from: ScrubberScale, to: ScrubberScale): number {
  const at = stepAt(from, x);
  if (at < 0) return x;
  const [left, right] = [from.edges[at]!, from.edges[at + 1]!];
  const share = right > left ? (x - left) / (right - left) : 0;
  return to.edges[at]! + share * (to.edges[at + 1]! - to.edges[at]!);
}

/** The left end of a view of `width` px that contains a whole step: as near to `from` as possible. */
export function scrollToStep({ edges }: ScrubberScale, index: number, from: number, width: number): number {
  const at = Math.min(Math.max(0, index), edges.length - 2);
  if (at < 0) return 0;
  const most = Math.max(0, Math.floor(edges.at(-1)! - width));
  return Math.min(edges[at]!, most, Math.max(from, edges[at + 1]! - width));
}

/** The height of a bar from 0 to 1: the logarithm of its duration between 0.1 ms and a minute. */
export function barHeight(ms: number): number {
  return Math.min(1, Math.max(0.08, Math.log10(1 + ms * 10) / Math.log10(600_000)));
}
