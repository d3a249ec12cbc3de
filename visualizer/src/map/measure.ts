let canvas: CanvasRenderingContext2D | null | undefined;
const widths = new Map<string, number>();
const segmenter = new Intl.Segmenter();
const MAX_KEPT = 2_000;

/** The width of a text in a font of CSS, px; estimated where nothing can be drawn. */
export function widthOf(text: string, font: string): number {
  const key = `${font} ${text}`;
  const known = widths.get(key);
  if (known !== undefined) return known;
  if (widths.size > MAX_KEPT) widths.clear();
  canvas ??= typeof document === "undefined" ? null : document.createElement("canvas").getContext("2d");
  if (canvas) canvas.font = font;
  const size = Number(/(\d+(?:\.\d+)?)px/.exec(font)?.[1] ?? 12);
  const width = canvas ? canvas.measureText(text).width : text.length * size * 0.6;
  widths.set(key, width);
  return width;
}

/** Forgets what was measured, because fonts have arrived. */
export const measureAgain = (): void => widths.clear();

/** A text cut so that it fits into a width, with "…" at its end. */
export function fitText(text: string, width: number, font: string): string {
  if (widthOf(text, font) <= width) return text;
  const characters = [...segmenter.segment(text)].map(({ segment }) => segment);
  let [low, high] = [0, characters.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (widthOf(`${characters.slice(0, middle).join("")}…`, font) <= width) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? "" : `${characters.slice(0, low).join("").trimEnd()}…`;
}
