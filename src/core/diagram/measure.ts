/** A width and a height in px. */
export type Size = { readonly width: number; readonly height: number };

/** Text is monospaced, so its size is known without a screen: px per character at 11 px and at 13 px. */
const TEXT_PX = 6.62;
const TITLE_PX = 7.83;

/** The width of text in rows, labels and pills (11 px font), in px. */
export function textWidth(text: string): number {
  return Math.ceil(columns(text) * TEXT_PX);
}

/** The width of a state's title (13 px font), in px. */
export function titleWidth(title: string): number {
  return Math.ceil(columns(title) * TITLE_PX);
}

/** The size of a state in the overview, which shows its name only, at twice the font size. */
export function nameSize(title: string): Size {
  return { width: 2 * titleWidth(title) + 22, height: 54 };
}

/** The size of a label with these lines. */
export function labelSize(lines: readonly { readonly text: string }[]): Size {
  const width = Math.max(...lines.map(({ text }) => textWidth(text))) + 12;
  return { width, height: lines.length * 15 + 5 };
}

/** Counts columns: East Asian characters and emoji take two. */
function columns(text: string): number {
  const wide = text.match(
    /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFF00-\uFF60\u{1F300}-\u{1FAFF}]/gu,
  );
  return Array.from(text).length + (wide?.length ?? 0);
}
