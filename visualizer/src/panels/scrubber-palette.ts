import type { Tone } from "../logic/chart-index.ts";

const TONES = ["violet", "cyan", "blue", "pink", "amber", "slate", "green", "red"] as const;
/** The colours of the scrubber, as CSS values. */
export type Palette = { readonly [tone in Tone]: string } & { readonly line: string; readonly text: string };

/** Reads the colours of the theme for a canvas. */
export function readPalette(element: Element): Palette {
  const probe = document.createElement("i");
  element.append(probe);
  const colour = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const palette = Object.fromEntries(
    [...TONES, "line", "text-3"].map((name) => [name === "text-3" ? "text" : name, colour(name)]),
  );
  probe.remove();
  return palette as Palette;
}
