import { drawMarks, hatch, MARKS_HEIGHT } from "./scrubber-marks.ts";
import { configurationName, isRest, toneOf, type ChartIndex, type Tone } from "../logic/chart-index.ts";
import { scrubberScale, type ScrubberScale } from "../logic/scrubber-scale.ts";
import type { RunData } from "../store/run-data.ts";
import { t } from "../words/t.ts";
import type { Palette } from "./scrubber-palette.ts";

/** The positions of a run's steps on the scrubber; index 0 is the oldest existing step. */
export function scaleOf(
  run: RunData,
  index: ChartIndex | undefined,
  width: number,
  now: number | undefined,
): ScrubberScale {
  const count = Math.max(0, run.last - run.first + 1);
  const durations = new Float64Array(count);
  for (let at = 0; at < count; at++) {
    const stepNumber = run.first + at;
    const step = run.at(stepNumber);
    durations[at] =
      run.durationOf(stepNumber) ??
      (step && now !== undefined && stepNumber === run.last ? Math.max(0, now - step.time) : 0);
  }
  const rests = new Map<number, boolean>();
  const isRestAt = (at: number): boolean => {
    const state = run.at(run.first + at)?.state;
    if (state === undefined) return false;
    if (!rests.has(state)) rests.set(state, isRest(index, run.states[state] ?? []));
    return rests.get(state)!;
  };
  return scrubberScale(durations, isRestAt, width);
}

type Drawing = {
  readonly canvas: HTMLCanvasElement;
  readonly run: RunData;
  readonly index: ChartIndex | undefined;
  readonly scale: ScrubberScale;
  /** The left end of the visible part, in px of the whole scrubber. */
  readonly from: number;
  readonly width: number;
  readonly height: number;
  readonly palette: Palette;
};

/** Draws a band in which each step has the colour of what was active; of steps below one px, the longest that begins there. */
export function drawScrubber({ canvas, run, index, scale, from, width, height, palette }: Drawing): void {
  const ratio = devicePixelRatio;
  const canvasContext = canvas.getContext("2d");
  if (!canvasContext) return;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  canvasContext.setTransform(ratio, 0, 0, ratio, 0, 0);
  canvasContext.clearRect(0, 0, width, height);
  const floor = height - 1;
  const barPx = floor - MARKS_HEIGHT - 2;
  const tones = run.states.map((states) => toneOf(index, states));
  const { edges, folded } = scale;
  const longest = new Float32Array(Math.ceil(width) + 1);
  const columnTones: Tone[] = [];
  let gapFrom: number | undefined;
  for (let at = 0; at < edges.length - 1; at++) {
    const right = edges[at + 1]! - from;
    const left = edges[at]! - from;
    if (right < 0 || left > width) continue;
    const stepNumber = run.first + at;
    const step = run.at(stepNumber);
    if (!step) gapFrom ??= left;
    else if (gapFrom !== undefined) {
      hatch(canvasContext, gapFrom, left, MARKS_HEIGHT, floor, palette.amber);
      gapFrom = undefined;
    }
    if (!step) continue;
    if (folded.has(at)) {
      hatch(canvasContext, left, right, MARKS_HEIGHT, floor, palette.line);
      continue;
    }
    const tone = tones[step.state] ?? "slate";
    if (right - left >= 1.5) {
      canvasContext.fillStyle = palette[tone];
      canvasContext.fillRect(left, floor - barPx, right - left - (right - left > 3 ? 1 : 0), barPx);
      continue;
    }
    const column = Math.max(0, Math.floor(left));
    const ms = 1 + (run.durationOf(stepNumber) ?? 0);
    if (longest[column]! >= ms) continue;
    longest[column] = ms;
    columnTones[column] = tone;
  }
  if (gapFrom !== undefined) hatch(canvasContext, gapFrom, width, MARKS_HEIGHT, floor, palette.amber);
  for (const [column, tone] of columnTones.entries()) {
    if (tone === undefined) continue;
    canvasContext.fillStyle = palette[tone];
    canvasContext.fillRect(column, floor - barPx, 1, barPx);
  }
  drawMarks(canvasContext, run, scale, from, width, palette);
  canvasContext.fillStyle = palette.line;
  canvasContext.fillRect(0, floor, width, 1);
}

/** The text of a step for screen readers. */
export function stepText(run: RunData, stepNumber: number): string {
  return t`step ${stepNumber} of ${Math.max(run.last, run.total)}, ${configurationName(run.statesAt(stepNumber))}`;
}
