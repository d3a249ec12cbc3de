import type { Box } from "../../../src/core/diagram/layout.ts";
import type { Layout, PlacedNode } from "../wire/types.ts";
import { isFolded, LEAST_PX, textWidth, titleSize } from "./camera.ts";
import { boxOf, overlap, regionNames } from "./region-names.ts";

/** The height of a line, in font sizes. */
const LINE = 1.3;
/** The distance of the lines of a state from each other and from its left side, in units of the layout. */
export const [ROW, INDENT] = [15, 10];
/** A name in the middle of its state needs so much less room than one at its left side. */
const MIDDLE = 8;
/** A name that is wider than its state may leave it by so much on each side: no other state is nearer. */
const OVERHANG = 6;
/** The border of a state, in units of the layout. */
const BORDER = 2;
/** So many labels are placed in a picture that is too small for all of them; of a larger one a person zooms in. */
const MOST_LABELS = 400;

/** The least scale at which the rows and the labels of a layout, whose letters are 11 px high, can be read as they are. */
export const FULL_SCALE = 0.995;

/** Returns the factor by which texts are larger than in the layout, so that they are 11 px high on the screen. */
export const enlargement = (scale: number): number => (scale < FULL_SCALE ? 1 / scale : 1);

/** The place of a state's title: its left side, or its middle in the picture of names, its baseline, and the font size. Undefined if it has no room. */
export function titleOf(
  { title, width, height, hasChildren }: PlacedNode,
  depth: number,
  scale: number,
  isOverview: boolean,
) {
  if (depth === 0 && isOverview) return undefined;
  const isAlone = isOverview && !hasChildren;
  const room = isAlone ? width + MIDDLE : width;
  const size = depth > 0 && isOverview && isFolded(scale) ? undefined : titleSize(title, room, scale);
  if (size === undefined) {
    const least = LEAST_PX / scale;
    const text = textWidth(title, least);
    if (isOverview || hasChildren || text > width + 2 * OVERHANG) return undefined;
    return { size: least, isAlone: false, x: (width - text) / 2, y: Math.max(17, least + 6) };
  }
  return { size, isAlone, x: isAlone ? width / 2 : INDENT, y: isAlone ? height / 2 : Math.max(17, size + 6) };
}

/** The box of a label whose letters are drawn larger, around the middle of the one that the layout has. */
export function enlarged({ x, y, width, height }: Box, by: number): Box {
  return {
    x: x + (width * (1 - by)) / 2,
    y: y + (height * (1 - by)) / 2,
    width: width * by,
    height: height * by,
  };
}

/** A box at the nearest place inside of another one, beside its border. */
const movedInto = (box: Box, { x, y, width, height }: Box): Box => ({
  ...box,
  x: Math.max(x + BORDER, Math.min(box.x, x + width - box.width - BORDER)),
  y: Math.max(y + BORDER, Math.min(box.y, y + height - box.height - BORDER)),
});

const isWithin = (one: Box, other: Box): boolean => overlap(one, other) >= one.width * one.height * 0.999;

/** The boxes of the names of states: in a folded picture only regions have one. */
export function nameBoxes(
  { nodes }: Pick<Layout, "nodes">,
  depthOf: (id: string) => number,
  scale: number,
  isOverview: boolean,
): readonly Box[] {
  if (isOverview && isFolded(scale))
    return regionNames(
      nodes.filter(({ id }) => depthOf(id) === 1),
      scale,
    ).map(boxOf);
  return nodes.flatMap((node) => {
    const title = titleOf(node, depthOf(node.id), scale, isOverview);
    if (!title) return [];
    const { size, isAlone, x, y } = title;
    const [width, height] = [textWidth(node.title, size), size * LINE];
    return [
      {
        x: node.x + x - (isAlone ? width / 2 : 0),
        y: node.y + y - (isAlone ? height / 2 : size),
        width,
        height,
      },
    ];
  });
}

/** The boxes of the rows of states, where they can be read. */
export function rowBoxes({ nodes }: Pick<Layout, "nodes">): readonly Box[] {
  return nodes.flatMap(({ x, y, rows }) =>
    rows.map(({ text }, at) => ({
      x: x + INDENT,
      y: y + 17 + ROW * (at + 1) - LEAST_PX,
      width: textWidth(`⚙ ${text}`, LEAST_PX),
      height: ROW,
    })),
  );
}

/**
 * Returns the labels and pills that are drawn at a scale, by the first edge of their lines. All are where they can be read as they are, else those
 * that have room for letters of 11 px: they cover no name, no other label and no other state, and lie in the picture. One that lies in a state is moved
 * so that it does not leave it. Labels in `first` come before others.
 */
export function labelsAt(
  layout: Layout,
  names: readonly Box[],
  scale: number,
  first: ReadonlySet<string>,
): ReadonlyMap<string, Box> {
  const by = enlargement(scale);
  const labels = [
    ...layout.edges.flatMap(({ edges, label }) => (label ? [{ id: edges[0]!, edges, label }] : [])),
    ...layout.pills.map((label) => ({ id: label.edge, edges: [label.edge], label })),
  ];
  if (by === 1) return new Map(labels.map(({ id, label }) => [id, label]));
  const [placed, picture] = [new Map<string, Box>(), { x: 0, y: 0, ...layout }];
  if (labels.length > MOST_LABELS) return placed;
  const leaves = layout.nodes.filter(({ hasChildren }) => !hasChildren);
  const rank = ({ edges }: (typeof labels)[number]): number => (edges.some((id) => first.has(id)) ? 0 : 1);
  for (const { id, label } of labels.toSorted((one, other) => rank(one) - rank(other))) {
    const home = leaves.find((leaf) => isWithin(label, leaf));
    const box = home ? movedInto(enlarged(label, by), home) : enlarged(label, by);
    const others = leaves.filter((leaf) => leaf !== home);
    if (!isWithin(box, home ?? picture)) continue;
    if ([...names, ...others, ...placed.values()].every((other) => overlap(box, other) === 0))
      placed.set(id, box);
  }
  return placed;
}
