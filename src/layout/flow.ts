/** Which way the states of one level follow one another. */
export type Direction = "DOWN" | "RIGHT";

/** The direction of each level: the first for the children of the root, the last for its level and all below. */
export type Flow = readonly [Direction, ...Direction[]];

/** Options of ELK are not inherited: every level needs all of them. */
export function levelOptions(direction: Direction): Record<string, string> {
  return {
    "elk.algorithm": "layered",
    "elk.direction": direction,
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
}
