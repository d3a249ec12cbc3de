/** A box in px, measured from the top left corner of the picture. */
export type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/**
 * A state with its position. Text is monospaced: the title in 13 px with its baseline 21 px below the top of
 * the box, the rows in 11 px, each 16 px high and starting at 32 px. Below the rows come the labels of the
 * state's lines if it is a leaf, else its children.
 */
export type PlacedNode = Box & {
  /** The id of the state. */
  readonly id: string;
  /** The text of the title: the key of the state. */
  readonly title: string;
  /**
   * The rows below the title: services ("⚙ callModel"), entry and exit actions, transitions without a target.
   */
  readonly rows: readonly {
    readonly kind: "invoke" | "entry" | "exit" | "stay";
    readonly text: string;
    readonly edges: readonly string[];
  }[];
  /** True for a state with child states, whose box contains theirs. */
  readonly hasChildren: boolean;
};

/**
 * A drawn line. Transitions with the same source and targets share it. Lines from within one state to the same
 * neighbour share the path between the two.
 */
export type PlacedEdge = {
  /** The ids of the chart's edges that this line represents, in document order. */
  readonly edges: readonly string[];
  /** Points from source to target, joined at right angles; one array for each target. */
  readonly lines: readonly (readonly (readonly [x: number, y: number])[])[];
  /**
   * The label, with 11 px text in lines of 15 px. It lies in the box of a leaf source, on the side where the
   * line leaves, else on the line.
   */
  readonly label?: Box & { readonly lines: readonly { readonly edge: string; readonly text: string }[] };
};

/** The positions of everything in a chart, in px. */
export type Layout = {
  /** The width of the picture. */
  readonly width: number;
  /** The height of the picture. */
  readonly height: number;
  /** The states, parents before their children. */
  readonly nodes: readonly PlacedNode[];
  /** The lines. */
  readonly edges: readonly PlacedEdge[];
  /** The short arrows into initial states; `id` is the parent's. */
  readonly initials: readonly {
    readonly id: string;
    readonly from: readonly [number, number];
    readonly to: readonly [number, number];
  }[];
  /** The transitions of the root, drawn as pills in its header because they apply in every state. */
  readonly pills: readonly (Box & { readonly edge: string; readonly text: string })[];
};

/** The two layouts of a chart: `portrait` for a tall panel, `landscape` for a wide one. */
export type Shapes = { readonly portrait: Layout; readonly landscape: Layout };

/**
 * The layouts of a chart. `names` is the overview: boxes as large as their titles at twice the font size, rows
 * and pills without size, and of each label only its position, in the middle of its line.
 */
export type Layouts = Shapes & { readonly names?: Shapes };
