/** A box in px from the top left corner of the picture. */
export type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/** A state as it is drawn, in a monospaced font: the title in 13 px with its baseline 21 px below the top of the box, the
 *  rows in 11 px and each 16 px high from 32 px on, then the labels of its lines if it has no children, else those. */
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

/** One drawn line. Transitions with the same ends share it, so it may stand for several edges of the chart. Lines from
 *  within one state to the same neighbour share the way between the two. */
export type PlacedEdge = {
  /** The chart's edges that this line stands for, in document order. */
  readonly edges: readonly string[];
  /** The way of the line: points from source to target, in right angles. One list for each target. */
  readonly lines: readonly (readonly (readonly [x: number, y: number])[])[];
  /** Its lines are 15 px high and the text is in 11 px. It stands in the box of a source without children, at the side where
   *  the line leaves, else on the line. */
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
export type Shapes = { readonly portrait: Layout; readonly landscape: Layout };

/** The whole chart, and the chart from afar: states as large as their names in twice the letters, rows and pills without room,
 *  and of each label only the place, in the middle of its line. */
export type Layouts = Shapes & { readonly names?: Shapes };
