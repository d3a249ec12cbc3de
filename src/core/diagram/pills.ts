import { actionsText, drawable, edgeText } from "./chart-text.ts";
import type { ChartTree } from "./chart-tree.ts";
import type { Layout } from "./layout.ts";
import { textWidth } from "./measure.ts";

const HEIGHT = 20;
const GAP = 6;
const LEFT = 12;
const TOP = 32;
/** The maximum right edge of a row of pills, in px. */
const RIGHT = 760;

/** Places the transitions of the root, which apply in every state, as rows of pills in its header. */
export function placePills(tree: ChartTree): Layout["pills"] {
  let x = LEFT;
  let y = TOP;
  return tree.pills.map((edge) => {
    const targets = edge.targets.map((id) => tree.address(id)).join(", ");
    const actions = actionsText(edge);
    const effect = targets ? ` → ${targets}` : actions && ` / ${actions}`;
    const text = drawable(edgeText(edge, tree.chart) + effect);
    const width = textWidth(text) + 18;
    if (x > LEFT && x + width > RIGHT) {
      x = LEFT;
      y += HEIGHT + GAP;
    }
    const pill = { edge: edge.id, text, x, y, width, height: HEIGHT };
    x += width + GAP;
    return pill;
  });
}
