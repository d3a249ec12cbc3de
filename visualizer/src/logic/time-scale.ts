/** A linear scale of time in which long rests are folded: px of a ms, and back. */
export type TimeScale = {
  /** The position of an instant, px. */
  readonly x: (ms: number) => number;
  /** The instant at a position, ms. */
  readonly at: (x: number) => number;
  /** The folded rests: where they are, px, and how long they are, ms. */
  readonly bands: readonly { readonly x: number; readonly width: number; readonly ms: number }[];
  /** ms of one px outside of the bands. */
  readonly msPerPx: number;
};

type Span = { readonly begin: number; readonly end: number };

const BAND_PX = 26;
/** A rest is folded if it is as long as this, ms, and as this share of all work. */
const MIN_FOLDED_MS = 1_000;
const MIN_FOLDED_SHARE = 1 / 20;

/**
 * Makes the scale of a run. Between its bands it is linear: twice as long is twice as wide.
 * @param from - the first instant, ms
 * @param to - the last instant, ms
 * @param rests - when nothing was done, in order
 * @param width - px
 */
export function timeScale(from: number, to: number, rests: readonly Span[], width: number): TimeScale {
  const resting = rests.reduce((sum, { begin, end }) => sum + end - begin, 0);
  const busy = Math.max(0, to - from - resting);
  const folded = rests.filter(
    ({ begin, end }) => end - begin >= MIN_FOLDED_MS && end - begin >= busy * MIN_FOLDED_SHARE,
  );
  const band = folded.length === 0 ? 0 : Math.min(BAND_PX, width / 3 / folded.length);
  const foldedMs = folded.reduce((sum, { begin, end }) => sum + end - begin, 0);
  const linear = Math.max(1, width - band * folded.length);
  const msPerPx = Math.max(to - from - foldedMs, 0.001) / linear;
  const bands: { x: number; width: number; ms: number; begin: number; end: number }[] = [];
  let [x, at] = [0, from];
  for (const { begin, end } of folded) {
    x += (begin - at) / msPerPx;
    bands.push({ x, width: band, ms: end - begin, begin, end });
    x += band;
    at = end;
  }
  return {
    bands,
    msPerPx,
    x(ms) {
      let [left, since] = [0, from];
      for (const each of bands) {
        if (ms <= each.begin) break;
        if (ms < each.end) return each.x + (each.width * (ms - each.begin)) / each.ms;
        left = each.x + each.width;
        since = each.end;
      }
      return left + (ms - since) / msPerPx;
    },
    at(position) {
      let [left, since] = [0, from];
      for (const each of bands) {
        if (position <= each.x) break;
        if (position < each.x + each.width) return each.begin + (each.ms * (position - each.x)) / each.width;
        left = each.x + each.width;
        since = each.end;
      }
      return since + (position - left) * msPerPx;
    },
  };
}

/** A mark of the axis. Each has another text than those beside it. */
export type Tick = { readonly x: number; readonly ms: number; readonly text: string };

const STEPS = [1, 2, 5];

/** The smallest round interval of at least `ms`: 1, 2 or 5 times a power of ten; above a second of whole seconds and minutes. */
export function roundInterval(ms: number): number {
  const CLOCK = [10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 900_000, 1_800_000, 3_600_000];
  if (ms > 5_000) return CLOCK.find((each) => each >= ms) ?? Math.ceil(ms / 3_600_000) * 3_600_000;
  const power = 10 ** Math.floor(Math.log10(Math.max(ms, 0.001)));
  return (STEPS.find((step) => step * power >= ms) ?? 10) * power;
}

/** The marks of the axis between two positions, at least `apart` px from each other and outside of the bands. */
export function ticksOf(
  scale: TimeScale,
  left: number,
  right: number,
  apart: number,
  start: number,
): readonly Tick[] {
  const interval = roundInterval(scale.msPerPx * apart);
  const ticks: Tick[] = [];
  const begin = Math.ceil((scale.at(left) - start) / interval) * interval + start;
  let last = -Infinity;
  for (let ms = begin; ticks.length < 200; ms += interval) {
    const x = scale.x(ms);
    if (x > right) break;
    const band = scale.bands.find((each) => x > each.x && x < each.x + each.width);
    if (band) {
      // goes on behind the band, at the next round instant
      ms = Math.ceil((scale.at(band.x + band.width) - start) / interval) * interval + start - interval;
      continue;
    }
    if (x - last < apart * 0.9) continue;
    last = x;
    ticks.push({ x, ms: ms - start, text: tickText(ms - start, interval) });
  }
  return ticks;
}

/** The decimals of a value that tell two of them apart. */
const decimalsFor = (apart: number): number => Math.max(0, Math.ceil(-Math.log10(apart) - 1e-9));

/** The text of a mark, as exact as marks so many ms apart need: "0", "250 ms", "1.5 s", "2:30", "2:30.25". */
export function tickText(ms: number, apart: number): string {
  if (Math.abs(ms) < 1e-6) return "0";
  if (ms < 1_000) return `${Number(ms.toFixed(decimalsFor(apart)))} ms`;
  const decimals = decimalsFor(apart / 1_000);
  const all = Number((ms / 1_000).toFixed(decimals));
  if (all < 60) return `${all} s`;
  const seconds = Math.floor(all);
  const fraction = decimals > 0 ? (all - seconds).toFixed(decimals).slice(1) : "";
  const pad = (value: number): string => String(value).padStart(2, "0");
  const clock = `${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}${fraction}`;
  return seconds < 3_600 ? clock.replace(/^0/, "") : `${Math.floor(seconds / 3_600)}:${clock}`;
}
