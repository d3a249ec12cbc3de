import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";
import { zoomAt, type Camera } from "./camera.ts";

/** How far a press may wander and still be a click, in px. */
const STILL = 4;

const distance = (a: PointerEvent, b: PointerEvent): number =>
  Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);

/** The camera: what the person chose for this picture, else what fits. It never moves by itself. */
export function useCamera(panel: RefObject<HTMLElement | null>, fit: Camera, picture: object) {
  const [chosen, setChosen] = useState<{ readonly camera: Camera; readonly of: object } | null>(null);
  const isFit = chosen?.of !== picture;
  const camera = isFit ? fit : chosen.camera;
  const latest = useRef({ camera, picture });
  // before any finger moves again: a passive effect of this drawing would take back what moved since
  useLayoutEffect(() => {
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
    const fingers = new Map<number, PointerEvent>();
    const press = (down: PointerEvent): void => {
      if (down.button !== 0 || (down.target as Element).closest("button, a, input")) return;
      if (fingers.size === 0) hasMoved.current = false;
      fingers.set(down.pointerId, down);
    };
    const lift = ({ pointerId }: PointerEvent): void => void fingers.delete(pointerId);
    const drag = (event: PointerEvent): void => {
      const before = fingers.get(event.pointerId);
      if (!before || (!hasMoved.current && distance(before, event) < STILL)) return;
      hasMoved.current = true;
      fingers.set(event.pointerId, event);
      const { camera, picture } = latest.current;
      const other = [...fingers.values()].find(({ pointerId }) => pointerId !== event.pointerId);
      const box = element.getBoundingClientRect();
      const next = other
        ? zoomAt(
            camera,
            distance(event, other) / Math.max(1, distance(before, other)),
            other.clientX - box.x,
            other.clientY - box.y,
          )
        : {
            ...camera,
            x: camera.x + event.clientX - before.clientX,
            y: camera.y + event.clientY - before.clientY,
          };
      latest.current = { camera: next, picture }; // another finger may move before it is drawn
      choose(next);
    };
    const stop = new AbortController();
    const { signal } = stop;
    element.addEventListener("wheel", turn, { passive: false, signal });
    element.addEventListener("pointerdown", press, { signal });
    addEventListener("pointermove", drag, { signal });
    addEventListener("pointerup", lift, { signal });
    addEventListener("pointercancel", lift, { signal });
    return () => stop.abort();
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
