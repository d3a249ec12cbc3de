/** The colour scheme of a picture. */
export type Theme = "light" | "dark";

/** The colours of a picture; `tones` distinguish the top-level states. */
export type Colours = {
  /** The background of the picture. */
  readonly page: string;
  /** The background of the root state. */
  readonly root: string;
  /** The background of compound states. */
  readonly group: string;
  /** The background of leaf states. */
  readonly leaf: string;
  /** The borders of states. */
  readonly border: string;
  /** The background of labels. */
  readonly label: string;
  /** The titles of states. */
  readonly title: string;
  /** All other text. */
  readonly text: string;
  /** Secondary lines and text. */
  readonly faint: string;
  /** The colours of top-level states, by the names of the tones. */
  readonly tones: { readonly [key: string]: string };
};

/** The colours of both themes. */
export const COLOURS: { readonly [theme in Theme]: Colours } = {
  dark: {
    page: "#0a0c11",
    root: "#0f1218",
    group: "#12161e",
    leaf: "#181d27",
    border: "#2c3442",
    label: "#0b0e13",
    title: "#e8ebf2",
    text: "#a3adbf",
    faint: "#7f8a9e",
    tones: {
      violet: "#a78bfa",
      cyan: "#4cc4f0",
      blue: "#7aa7ff",
      pink: "#f08cc8",
      amber: "#f5b04d",
      slate: "#8f9bb0",
    },
  },
  light: {
    page: "#ffffff",
    root: "#f8f9fb",
    group: "#f2f4f8",
    leaf: "#ffffff",
    border: "#c9d0db",
    label: "#eef0f4",
    title: "#171b24",
    text: "#4b5566",
    faint: "#5f6a7c",
    tones: {
      violet: "#6d3fd6",
      cyan: "#03749c",
      blue: "#2b5fd0",
      pink: "#b32b7e",
      amber: "#9a5b00",
      slate: "#566277",
    },
  },
};

const ORDER = ["blue", "violet", "cyan", "pink", "amber", "slate"] as const;

/** The colour of the top-level state with this index. */
export function toneAt(index: number, { tones }: Colours): string {
  return tones[ORDER[index % ORDER.length]!]!;
}
