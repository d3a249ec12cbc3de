import { useMemo } from "react";
import type { Box } from "../../../src/core/diagram/layout.ts";
import type { Layout } from "../wire/types.ts";
import { FULL_SCALE, labelsAt, nameBoxes, rowBoxes } from "./picture-texts.ts";

/** The texts that can be read in a picture of a chart. */
export type PictureTexts = {
  /** The boxes of its texts, in units of the layout. */
  readonly boxes: readonly Box[];
  /** The labels and pills that are drawn, by the first edge of their lines, and where. */
  readonly labels: ReadonlyMap<string, Box>;
};

const NONE: ReadonlySet<string> = new Set();

type Picture = {
  readonly layout: Layout;
  readonly depths: ReadonlyMap<string, number>;
  readonly scale: number;
  readonly isOverview: boolean;
  /** The edges of the displayed step, whose labels come first. */
  readonly taken: ReadonlyMap<string, number>;
};

/** Returns the texts that a picture of a chart has room for. */
export function useTexts({ layout, depths, scale, isOverview, taken }: Picture): PictureTexts {
  const isFull = !isOverview && scale >= FULL_SCALE;
  const names = useMemo(
    () => nameBoxes(layout, (id) => depths.get(id) ?? 1, scale, isOverview),
    [layout, depths, scale, isOverview],
  );
  const first = isFull || isOverview ? undefined : taken;
  const labels = useMemo(() => {
    if (isOverview) return new Map<string, Box>();
    const now = first ? new Set([...first].flatMap(([id, rank]) => (rank === 0 ? [id] : []))) : NONE;
    return labelsAt(layout, names, scale, now);
  }, [layout, names, scale, isOverview, first]);
  const boxes = useMemo(
    () => [...names, ...labels.values(), ...(isFull ? rowBoxes(layout) : [])],
    [layout, names, labels, isFull],
  );
  return { boxes, labels };
}
