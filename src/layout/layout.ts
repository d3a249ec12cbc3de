/** A box in px from the top left corner of the picture. */
export type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/** A state as it is drawn. The title line stands at the top of the box, its rows below it, its children below those. */
export type PlacedNode = Box & {
  readonly id: string;
  readonly title: string;
  /** What stands below the title: services ("⚙ callModel"), entry and exit actions, transitions without a target. */
  readonly rows: readonly {
    readonly kind: "invoke" | "entry" | "exit" | "stay";
    readonly text: string;
    readonly edges: readonly string[];
  }[];
  readonly hasChildren: boolean;
};

/** One drawn line. Transitions with the same ends share it, so it may stand for several edges of the chart. */
export type PlacedEdge = {
  /** The chart's edges that this line stands for, in document order. */
  readonly edges: readonly string[];
  /** The way of the line: points from source to target, in right angles. One list for each target. */
  readonly lines: readonly (readonly (readonly [x: number, y: number])[])[];
  readonly label?: Box & { readonly lines: readonly { readonly edge: string; readonly text: string }[] };
};

/** A chart with a place for everything. */
export type Layout = {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
  /** The short arrow into the state that is entered first. */
  readonly initials: readonly {
    readonly id: string;
    readonly from: readonly [number, number];
    readonly to: readonly [number, number];
  }[];
  /** Transitions of the root, drawn as pills in its header instead of lines: they leave from everywhere. */
  readonly pills: readonly (Box & { readonly edge: string; readonly text: string })[];
};

/** `portrait` is for a high and narrow panel, `landscape` for a wide one. */
export type Layouts = { readonly portrait: Layout; readonly landscape: Layout };
