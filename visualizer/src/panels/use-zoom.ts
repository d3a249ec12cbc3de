import { useEffect, useState, type RefObject } from "react";

const MAX_ZOOM = 2_000;

/** The visible part of an axis: how often it is as wide as its panel, and the left end of what is visible, px. */
type Zoom = { readonly zoom: number; readonly from: number };

/** Zooms an axis with Ctrl and the wheel around the pointer, and moves it with Shift or a sideways wheel. `setZoom(0)` shows all. */
export function useZoom(
  axis: RefObject<HTMLElement | null>,
  panel: RefObject<HTMLElement | null>,
  width: number,
): Zoom & { readonly setZoom: (factor: number) => void } {
  const [view, setView] = useState<Zoom>({ zoom: 1, from: 0 });
  const change = (factor: number, x: number): void =>
    setView(({ zoom, from }) => {
      if (factor === 0) return { zoom: 1, from: 0 };
      const next = Math.min(MAX_ZOOM, Math.max(1, zoom * factor));
      return { zoom: next, from: bounded(((from + x) * next) / zoom - x, next, width) };
    });
  useEffect(() => {
    const elements = [axis.current, panel.current].filter((element) => element !== null);
    const turn = (event: WheelEvent): void => {
      const { deltaX, deltaY, shiftKey } = event;
      const isSideways = shiftKey || Math.abs(deltaX) > Math.abs(deltaY);
      if (!event.ctrlKey && !event.metaKey && !isSideways) return;
      event.preventDefault();
      if (isSideways)
        setView(({ zoom, from }) => ({ zoom, from: bounded(from + (deltaX || deltaY), zoom, width) }));
      else change(Math.exp(-deltaY * 0.004), event.clientX - axis.current!.getBoundingClientRect().x);
    };
    for (const element of elements) element.addEventListener("wheel", turn, { passive: false });
    return () => {
      for (const element of elements) element.removeEventListener("wheel", turn);
    };
  }, [axis, panel, width]);
  return { ...view, setZoom: (factor) => change(factor, width / 2) };
}

const bounded = (from: number, zoom: number, width: number): number =>
  Math.min(Math.max(0, from), Math.max(0, width * (zoom - 1)));
