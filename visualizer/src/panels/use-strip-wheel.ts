import { useEffect, type RefObject } from "react";
import { moved, type StripScale } from "../logic/strip-scale.ts";

const MOST_ZOOM = 200;

/** The part of the strip that is seen: how much nearer, from which px of the whole strip on, and the step it was last moved for. */
export type StripView = { readonly zoom: number; readonly from: number; readonly q: number };

/** The wheel goes nearer to what is under the pointer. */
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
      setView(({ zoom, from, q }) => {
        const next = Math.min(MOST_ZOOM, Math.max(1, zoom * Math.exp(-event.deltaY * 0.002)));
        const start = moved(from + x, scaleAt(zoom), scaleAt(next)) - x + event.deltaX;
        return { zoom: next, from: Math.min(Math.max(0, start), width * (next - 1)), q };
      });
    };
    element.addEventListener("wheel", turn, { passive: false });
    return () => element.removeEventListener("wheel", turn);
  }, [panel, width, scaleAt, setView]);
}
