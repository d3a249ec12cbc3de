import type { Box } from "../../../src/core/diagram/layout.ts";

/** The visible part of the picture: its offset in the panel, px, and its scale. */
export type Camera = { readonly x: number; readonly y: number; readonly scale: number };

/** A size in px. */
export type Size = Pick<Box, "width" | "height">;

/** The minimum scale of the chart. */
export const MIN_SCALE = 0.05;
/** The maximum scale of the chart. */
export const MAX_SCALE = 3;
const MARGIN = 20;

/** Shows the whole picture, centred, enlarged to at most `most`. */
export const fitCamera = (picture: Size, panel: Size, most = 1.25): Camera =>
  showBox({ x: 0, y: 0, ...picture }, panel, most);

/** Shows a part of the picture in the middle of the panel, at a scale from `least` to `most`. */
export function showBox(box: Box, panel: Size, most: number, least = MIN_SCALE): Camera {
  const wide = (panel.width - 2 * MARGIN) / box.width;
  const high = (panel.height - 2 * MARGIN) / box.height;
  const scale = Math.max(least, Math.min(wide, high, most));
  return {
    x: (panel.width - box.width * scale) / 2 - box.x * scale,
    y: (panel.height - box.height * scale) / 2 - box.y * scale,
    scale,
  };
}

/** Zooms while the point (x, y) of the panel keeps its position. */
export function zoomAt(
  camera: Camera,
  factor: number,
  x: number,
  y: number,
  least = MIN_SCALE,
  most = MAX_SCALE,
): Camera {
  const scale = Math.min(most, Math.max(least, camera.scale * factor));
  const share = scale / camera.scale;
  return { x: x - (x - camera.x) * share, y: y - (y - camera.y) * share, scale };
}

/** Returns the layout that fits the panel better. */
export function betterLayout<T extends Size>(portrait: T, landscape: T, panel: Size): T {
  const scaleOf = (picture: Size): number => fitCamera(picture, panel).scale;
  return scaleOf(portrait) > scaleOf(landscape) ? portrait : landscape;
}

/** The least size of a text on the screen, px. */
export const LEAST_PX = 11;
/** The largest size of a name, in units of the layout: its boxes have room for it. */
const MOST_SIZE = 34;
/** The width of a letter, in font sizes. */
const LETTER = 0.61;

/** True if the picture is so small that no name of it can be read: then the regions alone are named. */
export const isFolded = (scale: number): boolean => scale * MOST_SIZE < LEAST_PX;

/** The width of a name, in the unit of its font size. */
export const textWidth = (text: string, size: number): number => text.length * LETTER * size;

/** The font size of a state's name; undefined if it would have less than 11 px on the screen: it is left out until a person zooms in. */
export function titleSize(title: string, width: number, scale: number): number | undefined {
  const room = (width - 14) / (title.length * LETTER);
  const size = Math.min(Math.max(LEAST_PX, LEAST_PX / scale), room, MOST_SIZE);
  return size * scale < LEAST_PX - 0.01 ? undefined : size;
}
