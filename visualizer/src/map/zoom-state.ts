import type { Camera } from "../diagram/camera.ts";
import type { CardId } from "./cards.ts";

/** The place of a person on the way from a card of the map into the chart, or back. */
export type Way = {
  /** The card through which the chart was entered. */
  readonly card: CardId;
  /** The camera of the chart. */
  readonly camera: Camera;
  /** The movement goes on to its end by itself. */
  readonly isWhole: boolean;
};

/** Holds what the map hands over to the chart, and the chart to the map, when one takes the place of the other. */
export const zoomState: { into: Way | null; back: Way | null } = { into: null, back: null };
