import { useEffect, type RefObject } from "react";
import { convertPosition, type StripScale } from "../logic/strip-scale.ts";

const MAX_ZOOM = 200;

/**
 * The visible part of the strip: its zoom, its left end in px of the whole strip, and the step for which it was
 * last scrolled.
 */
export type StripView = { readonly zoom: number; readonly from: number; readonly stepNumber: number };

/** Zooms with the wheel around the pointer. */
export function useWheel(
  panel: RefObject<HTMLElement | null>,
  width: number,
  scaleAt: (zoom: number) => StripScale,
  setView: (change: (view: StripView) => StripView) => void,
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
