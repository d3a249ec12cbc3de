import type { ChartNode } from "./chart-json.ts";
import { drawn, rowsOf } from "./chart-text.ts";
import type { ChartTree, Strand } from "./chart-tree.ts";
import type { PlacedNode } from "./layout.ts";
import { labelSize, nameSize, textWidth, titleWidth, type Size } from "./measure.ts";
import { placePills } from "./pills.ts";

/** What is written into the boxes: all that a state does and where its lines lead, or its name alone. */
export type Detail = "all" | "names";

const TITLE_HEIGHT = 32;
const ROW_HEIGHT = 16;
const GAP = 2;

/** What stands in a state's box, and the room it takes from the top left corner. */
export type StateBox = Size & {
  readonly title: string;
  readonly rows: PlacedNode["rows"];
  /** For a state without children: the labels of its lines, by the strand, with their y from the top. */
  readonly labels: ReadonlyMap<Strand, Size & { readonly y: number }>;
};

/** A state without children lists its transitions in its box, where their lines begin. The others leave the room below
 *  their rows to their children. */
export function stateBox(node: ChartNode, tree: ChartTree, detail: Detail): StateBox {
  const title = drawn(node.key);
  if (detail === "names") {
    const rows = node.id === tree.root.id && tree.pills.length > 0 ? [] : rowsOf(node, tree.chart);
    return { ...nameSize(title), title, rows, labels: new Map() };
  }
  const pills = node.id === tree.root.id ? placePills(tree) : [];
  const rows = pills.length > 0 ? [] : rowsOf(node, tree.chart);
  const strands = tree.hasChildren(node.id) ? [] : tree.strands.filter(({ source }) => source === node.id);
  const labels = new Map<Strand, Size & { readonly y: number }>();
  let y = TITLE_HEIGHT + rows.length * ROW_HEIGHT + (rows.length > 0 ? GAP * 3 : 0);
  for (const strand of strands) {
    const size = labelSize(strand.texts);
    labels.set(strand, { ...size, y });
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
