import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";
import { MAX_SCALE, MIN_SCALE, zoomAt, type Camera } from "./camera.ts";

const CHART_RANGE = [MIN_SCALE, MAX_SCALE] as const;

/** The maximum movement of a press that counts as a click, px. */
const CLICK_TOLERANCE = 4;

const distance = (a: PointerEvent, b: PointerEvent): number =>
  Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);

/** The camera: the user's choice for this picture, else the one that fits. It never moves by itself. `range`: the least and the most
 *  scale. */
export function useCamera(
  panel: RefObject<HTMLElement | null>,
  fit: Camera,
  picture: object,
  range: readonly [least: number, most: number] = CHART_RANGE,
) {
  const [least, most] = range;
  const [chosen, setChosen] = useState<{ readonly camera: Camera; readonly of: object } | null>(null);
  const isFit = chosen?.of !== picture;
  const camera = isFit ? fit : chosen.camera;
  const latest = useRef({ camera, picture });
  // a passive effect of this render would undo a movement that happens before it
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
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault();
      const box = element.getBoundingClientRect();
      const factor = Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015));
      choose(
        zoomAt(latest.current.camera, factor, event.clientX - box.x, event.clientY - box.y, least, most),
      );
    };
    const pointers = new Map<number, PointerEvent>();
    const onPress = (down: PointerEvent): void => {
      if (down.button !== 0 || (down.target as Element).closest("button, a, input")) return;
      if (pointers.size === 0) hasMoved.current = false;
      pointers.set(down.pointerId, down);
    };
    const onRelease = ({ pointerId }: PointerEvent): void => void pointers.delete(pointerId);
    const onMove = (event: PointerEvent): void => {
      const before = pointers.get(event.pointerId);
      if (!before || (!hasMoved.current && distance(before, event) < CLICK_TOLERANCE)) return;
      hasMoved.current = true;
      pointers.set(event.pointerId, event);
      const { camera, picture } = latest.current;
      const other = [...pointers.values()].find(({ pointerId }) => pointerId !== event.pointerId);
      const box = element.getBoundingClientRect();
      const next = other
        ? zoomAt(
            camera,
            distance(event, other) / Math.max(1, distance(before, other)),
            other.clientX - box.x,
            other.clientY - box.y,
            least,
            most,
          )
        : {
            ...camera,
            x: camera.x + event.clientX - before.clientX,
            y: camera.y + event.clientY - before.clientY,
          };
      latest.current = { camera: next, picture }; // another pointer may move before the next render
      choose(next);
    };
    const controller = new AbortController();
    const { signal } = controller;
    element.addEventListener("wheel", onWheel, { passive: false, signal });
    element.addEventListener("pointerdown", onPress, { signal });
    addEventListener("pointermove", onMove, { signal });
    addEventListener("pointerup", onRelease, { signal });
    addEventListener("pointercancel", onRelease, { signal });
    return () => controller.abort();
  }, [panel, choose, least, most]);

  const zoom = useCallback(
    (factor: number) => {
      const { width = 0, height = 0 } = panel.current?.getBoundingClientRect() ?? {};
      choose(zoomAt(latest.current.camera, factor, width / 2, height / 2, least, most));
    },
    [panel, choose, least, most],
  );
  return { camera, isFit, choose, zoom, hasMoved };
}
