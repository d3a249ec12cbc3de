import { useEffect, type RefObject } from "react";

const MOST_ZOOM = 200;

/** The wheel goes nearer to what is under the pointer. */
export function useWheel(
  panel: RefObject<HTMLElement | null>,
  width: number,
  setView: (change: (view: { zoom: number; from: number }) => { zoom: number; from: number }) => void,
): void {
  useEffect(() => {
    const element = panel.current;
    if (!element) return;
    const turn = (event: WheelEvent): void => {
      event.preventDefault();
      const x = event.clientX - element.getBoundingClientRect().x;
      setView(({ zoom, from }) => {
        const next = Math.min(MOST_ZOOM, Math.max(1, zoom * Math.exp(-event.deltaY * 0.002)));
        const start = ((from + x) / zoom) * next - x + event.deltaX;
        return { zoom: next, from: Math.min(Math.max(0, start), width * (next - 1)) };
      });
    };
    element.addEventListener("wheel", turn, { passive: false });
    return () => element.removeEventListener("wheel", turn);
  }, [panel, width, setView]);
}
