import { useCallback, useEffect, useRef, useState, type RefObject } from "react";
import { zoomAt, type Camera } from "./camera.ts";

/** How far a press may wander and still be a click, in px. */
const STILL = 4;

/** The camera: what the person chose for this picture, else what fits. It never moves by itself. */
export function useCamera(panel: RefObject<HTMLElement | null>, fit: Camera, picture: object) {
  const [chosen, setChosen] = useState<{ readonly camera: Camera; readonly of: object } | null>(null);
  const isFit = chosen?.of !== picture;
  const camera = isFit ? fit : chosen.camera;
  const latest = useRef({ camera, picture });
  useEffect(() => {
    latest.current = { camera, picture };
  }, [camera, picture]);
  const choose = useCallback(
    (next: Camera | null, of = latest.current.picture) => setChosen(next && { camera: next, of }),
    [],
  );
  const hasMoved = useRef(false);

  useEffect(() => {
    const element = panel.current;
    if (!element) return;
    const turn = (event: WheelEvent): void => {
      event.preventDefault();
      const box = element.getBoundingClientRect();
      const factor = Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015));
      choose(zoomAt(latest.current.camera, factor, event.clientX - box.x, event.clientY - box.y));
    };
    const press = (down: PointerEvent): void => {
      if (down.button !== 0 || (down.target as Element).closest("button, a, input")) return;
      const from = latest.current.camera;
      hasMoved.current = false;
      const drag = (event: PointerEvent): void => {
        const [dx, dy] = [event.clientX - down.clientX, event.clientY - down.clientY];
        if (!hasMoved.current && Math.hypot(dx, dy) < STILL) return;
        hasMoved.current = true;
        choose({ ...from, x: from.x + dx, y: from.y + dy });
      };
      addEventListener("pointermove", drag);
      addEventListener("pointerup", () => removeEventListener("pointermove", drag), { once: true });
      addEventListener("pointercancel", () => removeEventListener("pointermove", drag), { once: true });
    };
    element.addEventListener("wheel", turn, { passive: false });
    element.addEventListener("pointerdown", press);
    return () => {
      element.removeEventListener("wheel", turn);
      element.removeEventListener("pointerdown", press);
    };
  }, [panel, choose]);

  const zoom = useCallback(
    (factor: number) => {
      const { width = 0, height = 0 } = panel.current?.getBoundingClientRect() ?? {};
      choose(zoomAt(latest.current.camera, factor, width / 2, height / 2));
    },
    [panel, choose],
  );
  return { camera, isFit, choose, zoom, hasMoved };
}
