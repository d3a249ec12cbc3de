import type { Box } from "../../../src/core/diagram/layout.ts";
import type { PlacedNode } from "../wire/types.ts";
import { isFolded, type Camera, type Size } from "./camera.ts";
import { boxOf, overlap, regionNames } from "./region-names.ts";

const GAP = 9;
/** The height of a title in units of the layout. */
const TITLE = 24;

/**
 * Places badges beside a state. `nodes`: those whose names are shown. They are on the side where the least of them is outside the view and where they cover the least text; on
 * the right if all sides are equal. Returns the upper left corner, px.
 */
export function placeBeside(
  state: PlacedNode,
  nodes: readonly PlacedNode[],
  camera: Camera,
  view: Size,
  { width, height }: Size,
): { readonly left: number; readonly top: number } {
  const box = onScreen(state, camera);
  const middle = box.y + (box.height - height) / 2;
  const centre = box.x + (box.width - width) / 2;
  const sides = [
    { left: box.x + box.width + GAP, top: middle },
    { left: box.x - width - GAP, top: middle },
    { left: centre, top: box.y + box.height + GAP },
    { left: centre, top: box.y - height - GAP },
  ];
  const texts = textsOf(nodes, camera.scale).map((text) => onScreen(text, camera));
  const costs = sides.map(({ left, top }) => {
    const badges = { x: left, y: top, width, height };
    const hidden = width * height - overlap(badges, { x: 0, y: 0, ...view });
    return texts.reduce((sum, text) => sum + overlap(text, badges), hidden);
  });
  return sides[costs.indexOf(Math.min(...costs))]!;
}

/** The parts of states that their names take: in a folded picture only regions have one. */
function textsOf(nodes: readonly PlacedNode[], scale: number): readonly Box[] {
  if (isFolded(scale)) return regionNames(nodes, scale).map(boxOf);
  return nodes.map((node) => (node.hasChildren ? { ...node, height: TITLE } : node));
}

function onScreen({ x, y, width, height }: Box, camera: Camera): Box {
  const { scale } = camera;
  return { x: camera.x + x * scale, y: camera.y + y * scale, width: width * scale, height: height * scale };
}
