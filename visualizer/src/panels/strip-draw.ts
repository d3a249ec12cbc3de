import { drawMarks, hatch, label, MARKS_HIGH } from "./strip-marks.ts";
import { configurationName, isRest, toneOf, type ChartIndex, type Tone } from "../logic/chart-index.ts";
import { barHeight, stripScale, type StripScale } from "../logic/strip-scale.ts";
import { duration } from "../logic/format.ts";
import type { RunData } from "../store/run-data.ts";
import type { Palette } from "./strip-palette.ts";

/** Where the steps of a run stand on the strip; index 0 is the oldest step there still is. */
export function scaleOf(
  run: RunData,
  index: ChartIndex | undefined,
  width: number,
  now: number | undefined,
): StripScale {
  const count = Math.max(0, run.last - run.first + 1);
  const durations = new Float64Array(count);
  for (let at = 0; at < count; at++) {
    const q = run.first + at;
    const step = run.at(q);
    durations[at] =
      run.durationOf(q) ?? (step && now !== undefined && q === run.last ? Math.max(0, now - step.t) : 0);
  }
  const rests = new Map<number, boolean>();
  const restsAt = (at: number): boolean => {
    const s = run.at(run.first + at)?.s;
    if (s === undefined) return false;
    if (!rests.has(s)) rests.set(s, isRest(index, run.states[s] ?? []));
    return rests.get(s)!;
  };
  return stripScale(durations, restsAt, width);
}

type Drawing = {
  readonly canvas: HTMLCanvasElement;
  readonly run: RunData;
  readonly index: ChartIndex | undefined;
  readonly scale: StripScale;
  /** Part of the strip that is seen, in px of the whole strip. */
  readonly from: number;
  readonly width: number;
  readonly height: number;
  readonly palette: Palette;
};

/** One bar for each px: the longest step that begins there. */
export function drawStrip({ canvas, run, index, scale, from, width, height, palette }: Drawing): void {
  const ratio = devicePixelRatio;
  const paper = canvas.getContext("2d");
  if (!paper) return;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  paper.setTransform(ratio, 0, 0, ratio, 0, 0);
  paper.clearRect(0, 0, width, height);
  const floor = height - 1;
  const room = floor - MARKS_HIGH - 2;
  const tones = run.states.map((states) => toneOf(index, states));
  const { edges, folded } = scale;
  const columns = new Float32Array(Math.ceil(width) + 1);
  const columnTones: Tone[] = [];
  let gapFrom: number | undefined;
  for (let at = 0; at < edges.length - 1; at++) {
    const right = edges[at + 1]! - from;
    const left = edges[at]! - from;
    if (right < 0 || left > width) continue;
    const q = run.first + at;
    const step = run.at(q);
    if (!step) gapFrom ??= left;
    else if (gapFrom !== undefined) {
      hatch(paper, gapFrom, left, MARKS_HIGH, floor, palette.amber);
      gapFrom = undefined;
    }
    if (!step) continue;
    if (folded.has(at)) {
      hatch(paper, left, right, MARKS_HIGH, floor, palette.line);
      label(paper, duration(run.durationOf(q)), (left + right) / 2, right - left, floor, palette.text);
      continue;
    }
    const high = barHeight(run.durationOf(q) ?? 0) * room;
    const tone = tones[step.s] ?? "slate";
    if (right - left >= 1.5) {
      paper.fillStyle = palette[tone];
      paper.fillRect(left, floor - high, right - left - (right - left > 3 ? 1 : 0), high);
      continue;
    }
    const column = Math.max(0, Math.floor(left));
    if (columns[column]! >= high) continue;
    columns[column] = high;
    columnTones[column] = tone;
  }
  if (gapFrom !== undefined) hatch(paper, gapFrom, width, MARKS_HIGH, floor, palette.amber);
  for (const [column, tone] of columnTones.entries()) {
    if (tone === undefined) continue;
    paper.fillStyle = palette[tone];
    paper.fillRect(column, floor - columns[column]!, 1, columns[column]!);
  }
  drawMarks(paper, run, scale, from, width, palette);
  paper.fillStyle = palette.line;
  paper.fillRect(0, floor, width, 1);
}

/** What a screen reader says of a step. */
export function stepText(run: RunData, q: number): string {
  return `step ${q} of ${Math.max(run.last, run.total)}, ${configurationName(run.statesAt(q))}`;
}
