import { MIN_SCALE, showBox, type Camera, type Size } from "../diagram/camera.ts";
import type { ChartIndex } from "../logic/chart-index.ts";
import type { Layout } from "../wire/types.ts";
import type { Box } from "./placed.ts";
import { placeOf, statesOf, type Place } from "./places.ts";

/** The least scale at which the chart is shown alone: its names can be read, and the labels that have room. */
export const READABLE = 0.6;
/** The scale of the map from which the chart appears in its cards. */
const APPEARS = 1.2;
const MOST = 1.1;

/** Returns the part of a chart that a place stands for: the box around its outermost states, with what hangs at their sides. */
export function partOf(index: ChartIndex, layout: Layout, place: Place): Box {
  const ids = new Set(statesOf(index, place));
  const boxes = layout.nodes.filter(({ id }) => ids.has(id));
  if (boxes.length === 0) return { x: 0, y: 0, width: layout.width, height: layout.height };
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  const right = Math.max(...boxes.map((box) => box.x + box.width));
  const bottom = Math.max(...boxes.map((box) => box.y + box.height));
  return { x, y, width: right - x, height: bottom - y };
}

/** Places a chart in the plane of the map, so that the part of a card is inside of the card. */
export function chartInCard(part: Box, card: Box): Camera {
  const scale = Math.max(MIN_SCALE / 10, Math.min(card.width / part.width, card.height / part.height));
  return {
    x: card.x + (card.width - part.width * scale) / 2 - part.x * scale,
    y: card.y + (card.height - part.height * scale) / 2 - part.y * scale,
    scale,
  };
}

/** Looks with one camera at a plane that lies in another: the camera of the inner plane. */
export const through = (outer: Camera, inner: Camera): Camera => ({
  x: outer.x + inner.x * outer.scale,
  y: outer.y + inner.y * outer.scale,
  scale: outer.scale * inner.scale,
});

/** The camera of the outer plane that shows the inner plane as this camera of it does. */
export function outOf(camera: Camera, inner: Camera): Camera {
  const scale = camera.scale / inner.scale;
  return { x: camera.x - inner.x * scale, y: camera.y - inner.y * scale, scale };
}

/** Returns what of a part is shown first if it is too large: its active state, else the first one in which a service runs. */
export function focusOf(
  { chart, nodes }: ChartIndex,
  layout: Layout,
  place: Place,
  active: readonly string[],
): Box | undefined {
  const isOfPlace = (id: string): boolean => placeOf(id) === place;
  const at = active.findLast((id) => isOfPlace(id) && (nodes.get(id)?.invoke.length ?? 0) > 0);
  const here = at ?? active.findLast(isOfPlace);
  const first = chart.nodes.find(({ id, invoke }) => isOfPlace(id) && invoke.length > 0)?.id;
  return layout.nodes.find(({ id }) => id === (here ?? first));
}

/** The camera of the map at which a part of the chart fills the view, or, if it could not be read then, what is shown of it first. */
export function cameraInto(part: Box, focus: Box | undefined, card: Box, view: Size): Camera {
  const whole = showBox(part, view, MOST, READABLE);
  const isWhole = part.width * whole.scale <= view.width && part.height * whole.scale <= view.height;
  return outOf(isWhole || !focus ? whole : showBox(focus, view, MOST, READABLE), chartInCard(part, card));
}

/** Returns how far the chart has come through the map: 0 at fit, 1 where it is shown alone. */
export function depthAt(scale: number, inCard: Camera): number {
  const end = READABLE / inCard.scale;
  if (scale <= APPEARS || end <= APPEARS) return scale > APPEARS ? 1 : 0;
  return Math.min(1, Math.log(scale / APPEARS) / Math.log(end / APPEARS));
}

/** A camera between two, for a movement that zooms towards one point; `share` from 0 to 1. */
export function between(from: Camera, to: Camera, share: number): Camera {
  if (share >= 1) return to;
  const scale = from.scale * (to.scale / from.scale) ** share;
  const moved = from.scale === to.scale ? share : (scale - from.scale) / (to.scale - from.scale);
  return { x: from.x + (to.x - from.x) * moved, y: from.y + (to.y - from.y) * moved, scale };
}

/** Returns the card that a view looks at: the one around its middle, else the nearest. */
export function cardInView<T extends Box>(cards: readonly T[], camera: Camera, view: Size): T | undefined {
  const x = (view.width / 2 - camera.x) / camera.scale;
  const y = (view.height / 2 - camera.y) / camera.scale;
  const away = (box: T): number =>
    Math.hypot(Math.max(box.x - x, 0, x - box.x - box.width), Math.max(box.y - y, 0, y - box.y - box.height));
  return cards.toSorted((a, b) => away(a) - away(b))[0];
}
