import { isDecision, type ChartNode } from "./chart-json.ts";
import { drawable, stateRows } from "./chart-text.ts";
import type { ChartTree, EdgeBundle } from "./chart-tree.ts";
import type { PlacedNode } from "./layout.ts";
import { labelSize, nameSize, textWidth, titleWidth, type Size } from "./measure.ts";
import { placePills } from "./pills.ts";

/** The detail of the boxes: everything a state does and where its lines lead, or its name only. */
export type Detail = "all" | "names";

const TITLE_HEIGHT = 32;
const ROW_HEIGHT = 16;
const GAP = 2;

/** The content of a state's box, and the space it takes from the top left corner. */
export type StateBox = Size & {
  /** The text of the title. */
  readonly title: string;
  /** The rows below the title. */
  readonly rows: PlacedNode["rows"];
  /** For a leaf state: the labels of its lines by bundle, with their y from the top. */
  readonly labels: ReadonlyMap<EdgeBundle, Size & { readonly y: number }>;
};

/**
 * Measures a state. A leaf lists its transitions in its box, where their lines start; a compound state leaves
 * the space below its rows to its children.
 */
export function stateBox(node: ChartNode, tree: ChartTree, detail: Detail): StateBox {
  const title = isDecision(node) ? `◇ ${drawable(node.key)}` : drawable(node.key);
  if (detail === "names") {
    const rows = node.id === tree.root.id && tree.pills.length > 0 ? [] : stateRows(node, tree.chart);
    return { ...nameSize(title), title, rows, labels: new Map() };
  }
  const pills = node.id === tree.root.id ? placePills(tree) : [];
  const rows = pills.length > 0 ? [] : stateRows(node, tree.chart);
  const bundles = tree.hasChildren(node.id) ? [] : tree.bundlesFrom(node.id);
  const labels = new Map<EdgeBundle, Size & { readonly y: number }>();
  let y = TITLE_HEIGHT + rows.length * ROW_HEIGHT + (rows.length > 0 ? GAP * 3 : 0);
  for (const bundle of bundles) {
    const size = labelSize(bundle.texts);
    labels.set(bundle, { ...size, y });
    y += size.height + GAP;
  }
  const width = Math.max(
    84,
    titleWidth(title) + 28,
    ...rows.map(({ text }) => textWidth(text) + 24),
    ...[...labels.values()].map((label) => label.width + 24),
    ...pills.map((pill) => pill.x + pill.width),
  );
  const height = Math.max(labels.size > 0 ? y + GAP * 2 : y, ...pills.map((pill) => pill.y + pill.height));
  return { width, height, title, rows, labels };
}
