import { isFailure } from "../logic/step-notes.ts";
import type { ScrubberScale } from "../logic/scrubber-scale.ts";
import type { RunData } from "../store/run-data.ts";
import type { Step } from "../wire/step.ts";
import type { Palette } from "./scrubber-palette.ts";

/** The height of the marks above the bars, px. */
export const MARKS_HEIGHT = 11;

/** Draws triangles: red for failures, amber for waiting for a user, grey for the start of a turn. */
export function drawMarks(
  canvasContext: CanvasRenderingContext2D,
  run: RunData,
  { edges }: ScrubberScale,
  from: number,
  width: number,
  palette: Palette,
): void {
  const last = { red: -9, amber: -9, text: -9 };
  for (let at = 0; at < edges.length - 1; at++) {
    const begin = edges[at]! - from;
    if (begin < 0 || begin > width) continue;
    const kind = markAt(run, run.first + at);
    const x = Math.min(width - 3, Math.max(3, begin));
    if (!kind || x - last[kind] < 5) continue;
    last[kind] = x;
    canvasContext.fillStyle = palette[kind];
    canvasContext.beginPath();
    canvasContext.moveTo(x - 3, 2);
    canvasContext.lineTo(x + 3, 2);
    canvasContext.lineTo(x, 7.5);
    canvasContext.fill();
  }
}

type Mark = "red" | "amber" | "text";
const marks = new WeakMap<Step, Mark | "">();

/** The mark of a step, computed once. */
function markAt(run: RunData, stepNumber: number): Mark | "" {
  const step = run.at(stepNumber);
  if (!step) return "";
  const mark = marks.get(step) ?? markOf(run, stepNumber) ?? "";
  marks.set(step, mark);
  return mark;
}

function markOf(run: RunData, stepNumber: number): "red" | "amber" | "text" | undefined {
  const step = run.at(stepNumber);
  if (!step) return undefined;
  if (isFailure(step)) return "red";
  if (step.event === "call") return "text";
  const states = run.statesAt(stepNumber);
  const isWaiting = states.some((id) => id.endsWith(".waiting"));
  return isWaiting && !run.statesAt(stepNumber - 1).some((id) => id.endsWith(".waiting"))
    ? "amber"
    : undefined;
}

/** Fills an area with oblique lines. */
export function hatch(
  canvasContext: CanvasRenderingContext2D,
  left: number,
  right: number,
  top: number,
  bottom: number,
  colour: string,
): void {
  canvasContext.fillStyle = stripes(canvasContext, colour) ?? colour;
  canvasContext.fillRect(left, top, Math.max(1, right - left), bottom - top);
}

const patterns = new Map<string, CanvasPattern | null>();

/** A pattern of oblique lines, which is as fast to fill as a colour. */
function stripes(canvasContext: CanvasRenderingContext2D, colour: string): CanvasPattern | null {
  const made = patterns.get(colour);
  if (made !== undefined) return made;
  const tile = document.createElement("canvas");
  tile.width = tile.height = 7;
  const pen = tile.getContext("2d");
  if (pen) {
    pen.strokeStyle = colour;
    pen.beginPath();
    for (const shift of [-7, 0, 7]) {
      pen.moveTo(shift, 7);
      pen.lineTo(shift + 7, 0);
    }
    pen.stroke();
  }
  const pattern = canvasContext.createPattern(tile, "repeat");
  patterns.set(colour, pattern);
  return pattern;
}
