/** What part of the picture is seen: its offset in px of the panel, and its scale. */
export type Camera = { readonly x: number; readonly y: number; readonly scale: number };
export type Size = { readonly width: number; readonly height: number };
type Box = Size & { readonly x: number; readonly y: number };

export const LEAST_SCALE = 0.1;
export const MOST_SCALE = 3;
const MARGIN = 20;
/** Room for the tools above the picture, besides the margin. */
const TOOLS = 30;

/** The whole picture, in the middle below the tools, never enlarged beyond `most`. */
export function fitCamera(picture: Size, panel: Size, most = 1.25): Camera {
  const room = { ...panel, height: panel.height - TOOLS };
  const camera = showBox({ x: 0, y: 0, ...picture }, room, most);
  return { ...camera, y: camera.y + TOOLS };
}

/** A part of the picture in the middle of the panel, at most `most` and at least `least` as large as it is. */
export function showBox(box: Box, panel: Size, most: number, least = LEAST_SCALE): Camera {
  const wide = (panel.width - 2 * MARGIN) / box.width;
  const high = (panel.height - 2 * MARGIN) / box.height;
  const scale = Math.max(least, Math.min(wide, high, most));
  return {
    x: (panel.width - box.width * scale) / 2 - box.x * scale,
    y: (panel.height - box.height * scale) / 2 - box.y * scale,
    scale,
  };
}

/** Nearer or farther, with the point at (x, y) of the panel staying where it is. */
export function zoomAt(camera: Camera, factor: number, x: number, y: number): Camera {
  const scale = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, camera.scale * factor));
  const share = scale / camera.scale;
  return { x: x - (x - camera.x) * share, y: y - (y - camera.y) * share, scale };
}

/** The layout whose shape fits the panel better. */
export function betterLayout<T extends Size>(portrait: T, landscape: T, panel: Size): T {
  const scaleOf = (picture: Size): number => fitCamera(picture, panel).scale;
  return scaleOf(portrait) > scaleOf(landscape) ? portrait : landscape;
}

/** The size of a state's name: at least 9 px on the screen, as far as its box has room for it. */
export function titleSize(title: string, width: number, scale: number): number {
  const room = (width - 14) / (title.length * 0.61);
  return Math.max(8, Math.min(Math.max(11, 10 / scale), room, 34));
}
