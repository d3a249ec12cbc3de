export type Size = { readonly width: number; readonly height: number };

/** All text is monospaced, so that its size is known without a screen: px per character at 11 px and at 13 px. */
const SMALL = 6.62;
const TITLE = 7.83;

/** How wide text is in the small letters of rows, labels and pills, px. */
export function textWidth(text: string): number {
  return Math.ceil(columns(text) * SMALL);
}

/** How wide a state's title is, px. */
export function titleWidth(title: string): number {
  return Math.ceil(columns(title) * TITLE);
}

/** The room of a state of which only the name is seen, in letters that can be read from afar. */
export function nameSize(title: string): Size {
  return { width: 2 * titleWidth(title) + 22, height: 54 };
}

/** The room that a label with these lines takes. */
export function labelSize(lines: readonly { readonly text: string }[]): Size {
  const width = Math.max(...lines.map(({ text }) => textWidth(text))) + 12;
  return { width, height: lines.length * 15 + 5 };
}

/** Letters of East Asia and pictures are twice as wide as others. */
function columns(text: string): number {
  const wide = text.match(
    /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFF00-\uFF60\u{1F300}-\u{1FAFF}]/gu,
  );
  return Array.from(text).length + (wide?.length ?? 0);
}
