import type { Detail } from "./state-box.ts";

/** The direction in which the states of one level follow one another. */
export type Direction = "DOWN" | "RIGHT";

/**
 * The direction of each level: the first entry is for the children of the root, the last one for its level and
 * all deeper ones.
 */
export type Flow = readonly [Direction, ...Direction[]];

/** The ELK options of one level. ELK does not inherit options, so every level gets all of them. */
export function levelOptions(direction: Direction, detail: Detail): Record<string, string> {
  return { ...OPTIONS, ...(detail === "names" && NAMES[direction]), "elk.direction": direction };
}

const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.layered.nodePlacement.strategy": "SIMPLE",
  "elk.layered.thoroughness": "40",
  "elk.layered.spacing.nodeNodeBetweenLayers": "16",
  "elk.layered.spacing.edgeNodeBetweenLayers": "10",
  "elk.layered.spacing.edgeEdgeBetweenLayers": "7",
  "elk.spacing.nodeNode": "14",
  "elk.spacing.edgeNode": "10",
  "elk.spacing.edgeEdge": "7",
  "elk.spacing.edgeLabel": "4",
  "elk.spacing.labelLabel": "4",
  "elk.spacing.labelNode": "6",
  "elk.spacing.portPort": "10",
  "elk.nodeSize.constraints": "MINIMUM_SIZE PORTS",
  "elk.portConstraints": "FIXED_SIDE",
  "elk.portAlignment.default": "DISTRIBUTED",
};

const COMPACT = {
  "elk.layered.thoroughness": "7",
  "elk.spacing.nodeNode": "14",
  "elk.spacing.edgeNode": "9",
  "elk.spacing.edgeEdge": "6",
  "elk.spacing.portPort": "6",
  "elk.layered.spacing.edgeEdgeBetweenLayers": "6",
};

/** Spacing for the layout with names only: tighter in width, which is scarce, than in height. */
const NAMES: { readonly [direction in Direction]: Record<string, string> } = {
  RIGHT: {
    ...COMPACT,
    "elk.layered.spacing.nodeNodeBetweenLayers": "14",
    "elk.layered.spacing.edgeNodeBetweenLayers": "9",
  },
  DOWN: {
    ...COMPACT,
    "elk.layered.spacing.nodeNodeBetweenLayers": "34",
    "elk.layered.spacing.edgeNodeBetweenLayers": "16",
  },
};
