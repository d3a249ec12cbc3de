import { isFailure } from "../logic/step-notes.ts";
import type { StripScale } from "../logic/strip-scale.ts";
import type { RunData } from "../store/run-data.ts";
import type { Step } from "../wire/types.ts";
import type { Palette } from "./strip-palette.ts";

/** Room for the marks above the bars, in px. */
export const MARKS_HIGH = 11;

/** Triangles above: failures red, waiting for somebody amber, the beginning of a turn grey. */
export function drawMarks(
  paper: CanvasRenderingContext2D,
  run: RunData,
  { edges }: StripScale,
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
    paper.fillStyle = palette[kind];
    paper.beginPath();
    paper.moveTo(x - 3, 2);
    paper.lineTo(x + 3, 2);
    paper.lineTo(x, 7.5);
    paper.fill();
  }
}

type Mark = "red" | "amber" | "text";
const known = new WeakMap<Step, Mark | "">();

/** The mark of a step, found once. */
function markAt(run: RunData, q: number): Mark | "" {
  const step = run.at(q);
  if (!step) return "";
  const mark = known.get(step) ?? markOf(run, q) ?? "";
  known.set(step, mark);
  return mark;
}

function markOf(run: RunData, q: number): "red" | "amber" | "text" | undefined {
  const step = run.at(q);
  if (!step) return undefined;
  if (isFailure(step)) return "red";
  if (step.e === "call") return "text";
  const states = run.statesAt(q);
  const isWaiting = states.some((id) => id.endsWith(".waiting"));
  return isWaiting && !run.statesAt(q - 1).some((id) => id.endsWith(".waiting")) ? "amber" : undefined;
}

export function hatch(
  paper: CanvasRenderingContext2D,
  left: number,
  right: number,
  top: number,
  bottom: number,
  colour: string,
): void {
  paper.fillStyle = stripes(paper, colour) ?? colour;
  paper.fillRect(left, top, Math.max(1, right - left), bottom - top);
}

const patterns = new Map<string, CanvasPattern | null>();

/** Oblique lines that fill any area at the price of a colour. */
function stripes(paper: CanvasRenderingContext2D, colour: string): CanvasPattern | null {
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
  const pattern = paper.createPattern(tile, "repeat");
  patterns.set(colour, pattern);
  return pattern;
}

export function label(
  paper: CanvasRenderingContext2D,
  text: string,
  x: number,
  room: number,
  floor: number,
  colour: string,
): void {
  if (room < 24) return;
  paper.save();
  paper.translate(x, (MARKS_HIGH + floor) / 2);
  paper.rotate(-Math.PI / 2);
  paper.font = "9px 'JetBrains Mono Variable', monospace";
  paper.fillStyle = colour;
  paper.textAlign = "center";
  paper.textBaseline = "middle";
  paper.fillText(text, 0, 0);
  paper.restore();
}
