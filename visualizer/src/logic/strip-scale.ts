/** Where each step begins on the strip, in px. A step is as wide as the logarithm of its duration says; a rest longer than a
 *  twentieth of all that was done is folded to a band. */
export type StripScale = {
  /** Left edges, one more than there are steps: the last is the right end. */
  readonly edges: Float64Array;
  /** Indexes of the steps that are folded. */
  readonly folded: ReadonlySet<number>;
};

const BAND = 28;
/** A rest shorter than this is no gap. */
const SHORTEST_GAP = 1_000;

/** @param durations - of each step in ms
 *  @param isRest - whether nothing was done during it
 *  @param width - of the strip in px */
export function stripScale(
  durations: Float64Array,
  isRest: (index: number) => boolean,
  width: number,
): StripScale {
  const count = durations.length;
  const resting: number[] = [];
  let busy = 0;
  for (let index = 0; index < count; index++) {
    if (durations[index]! >= SHORTEST_GAP && isRest(index)) resting.push(index);
    else busy += durations[index]!;
  }
  const folded = new Set(resting.filter((index) => durations[index]! >= busy / 20));
  const band = Math.min(BAND, folded.size === 0 ? BAND : width / 3 / folded.size);
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

/** The step at a place: its index, or -1 if there are none. */
export function stepAt({ edges }: StripScale, x: number): number {
  let low = 0;
  let high = edges.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (edges[middle]! <= x) low = middle;
    else high = middle - 1;
  }
  return high < 0 ? -1 : low;
}

/** Where that which stands at `x` in one scale stands in another one of the same steps. */
export function moved(x: number, from: StripScale, to: StripScale): number {
  const at = stepAt(from, x);
  if (at < 0) return x;
  const [left, right] = [from.edges[at]!, from.edges[at + 1]!];
  const share = right > left ? (x - left) / (right - left) : 0;
  return to.edges[at]! + share * (to.edges[at + 1]! - to.edges[at]!);
}

/** From which px on `width` px of the strip show a step whole: as near to `from` as can be. */
export function fromToSee({ edges }: StripScale, index: number, from: number, width: number): number {
  const at = Math.min(Math.max(0, index), edges.length - 2);
  if (at < 0) return 0;
  const most = Math.max(0, Math.floor(edges.at(-1)! - width));
  return Math.min(edges[at]!, most, Math.max(from, edges[at + 1]! - width));
}

/** Height of a bar from 0 to 1: the logarithm of its duration between 0.1 ms and a minute. */
export function barHeight(ms: number): number {
  return Math.min(1, Math.max(0.08, Math.log10(1 + ms * 10) / Math.log10(600_000)));
}
