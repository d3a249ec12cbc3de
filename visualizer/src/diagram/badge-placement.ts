import type { Box } from "../../../src/core/diagram/layout.ts";
import type { Camera, Size } from "./camera.ts";
import { overlap } from "./region-names.ts";

/** The distances from a state at which badges are tried, px. */
const GAPS = [9, 40, 90];
/** Their distance from the border of the view, px. */
const MARGIN = 8;

/**
 * Places badges near a state, px. They are on its right side, else to the left, below, above, farther away, or at last in a corner of the view. They cover
 * no text and lie in the view; undefined if there is no such place, or the state is out of view. `texts`: the boxes of what can be read, in units
 * of the layout.
 */
export function placeBadges(
  state: Box,
  texts: readonly Box[],
  camera: Camera,
  view: Size,
  { width, height }: Size,
): { readonly left: number; readonly top: number } | undefined {
  const box = onScreen(state, camera);
  const whole = { x: 0, y: 0, ...view };
  if (overlap(box, whole) === 0) return undefined;
  const middle = box.y + (box.height - height) / 2;
  const centre = box.x + (box.width - width) / 2;
  const [right, bottom] = [view.width - width - MARGIN, view.height - height - MARGIN];
  const places = [
    ...GAPS.flatMap((gap) => [
      { left: box.x + box.width + gap, top: middle },
      { left: box.x - width - gap, top: middle },
      { left: centre, top: box.y + box.height + gap },
      { left: centre, top: box.y - height - gap },
    ]),
    { left: right, top: bottom },
    { left: MARGIN, top: bottom },
    { left: right, top: MARGIN },
    { left: MARGIN, top: MARGIN },
  ];
  const covered = texts.map((text) => onScreen(text, camera)).filter((text) => overlap(text, whole) > 0);
  return places.find(({ left, top }) => {
    const badges = { x: left, y: top, width, height };
    return (
      overlap(badges, whole) >= width * height * 0.999 && covered.every((text) => overlap(text, badges) === 0)
    );
  });
}

function onScreen({ x, y, width, height }: Box, camera: Camera): Box {
  const { scale } = camera;
  return { x: camera.x + x * scale, y: camera.y + y * scale, width: width * scale, height: height * scale };
}
