import type { Point } from "../../../src/core/diagram/svg-path.ts";
import type { Size } from "../diagram/camera.ts";
import type { EdgeId, HookEntry } from "./agent-map.ts";
import type { Card } from "./cards.ts";
import type { Row } from "./rows.ts";

/** A box in px. */
export type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
/** A card with its place, and the rows that it has room for, each with its top in the card. */
export type PlacedCard = Card & Box & { readonly placed: readonly (Row & { readonly y: number })[] };
/** An edge of the map, with the place of the count and of the hooks that sit on it. */
export type PlacedLine = {
  readonly id: EdgeId;
  readonly points: readonly Point[];
  readonly taken: number;
  readonly last: number;
  /** Absent where there is no room. */
  readonly label: Point | undefined;
  readonly hooks: readonly PlacedHook[];
};
/** Hooks on an edge, with their names if there is room. */
export type PlacedHook = { readonly hook: HookEntry; readonly at: Point; readonly room: number };
/** A map with places for all that is drawn, in px of the screen at scale 1. */
export type MapLayout = Size & {
  readonly cards: readonly PlacedCard[];
  readonly lines: readonly PlacedLine[];
};
