import { useEffect, type RefObject } from "react";
import { convertPosition, type ScrubberScale } from "../logic/scrubber-scale.ts";

const MAX_ZOOM = 200;

/**
 * The visible part of the scrubber: its zoom, its left end in px of the whole scrubber, and the step for which it was
 * last scrolled.
 */
export type ScrubberView = { readonly zoom: number; readonly from: number; readonly stepNumber: number };

/** Zooms with the wheel around the pointer. */
export function useWheel(
  panel: RefObject<HTMLElement | null>,
  width: number,
  scaleAt: (zoom: number) => ScrubberScale,
  setView: (change: (view: ScrubberView) => ScrubberView) => void,
): void {
  useEffect(() => {
    const element = panel.current;
    if (!element) return;
    const turn = (event: WheelEvent): void => {
      event.preventDefault();
      const x = event.clientX - element.getBoundingClientRect().x;
      setView(({ zoom, from, stepNumber }) => {
        const next = Math.min(MAX_ZOOM, Math.max(1, zoom * Math.exp(-event.deltaY * 0.002)));
        const start = convertPosition(from + x, scaleAt(zoom), scaleAt(next)) - x + event.deltaX;
        return { zoom: next, from: Math.min(Math.max(0, start), width * (next - 1)), stepNumber };
      });
    };
    element.addEventListener("wheel", turn, { passive: false });
    return () => element.removeEventListener("wheel", turn);
  }, [panel, width, scaleAt, setView]);
}
