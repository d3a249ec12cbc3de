import { useCallback, useEffect, useRef } from "react";
import type { Camera } from "../diagram/camera.ts";
import { between } from "./chart-zoom.ts";

const DURATION_MS = 520;

const isStill = (): boolean =>
  matchMedia("(prefers-reduced-motion: reduce)").matches ||
  document.documentElement.hasAttribute("data-busy");

const eased = (share: number): number => (share < 0.5 ? 4 * share ** 3 : 1 - (2 - 2 * share) ** 3 / 2);

/** Moves a camera to another place, at once for people who want less motion. The returned function begins such a movement, and one that
 *  has not ended stops. */
export function useFlight(
  choose: (camera: Camera) => void,
): (from: Camera, to: Camera, onEnd: () => void) => void {
  const frame = useRef(0);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  return useCallback(
    (from, to, onEnd) => {
      cancelAnimationFrame(frame.current);
      if (isStill()) {
        choose(to);
        onEnd();
        return;
      }
      const begin = performance.now();
      const move = (now: number): void => {
        const share = Math.min(1, Math.max(0, (now - begin) / DURATION_MS));
        choose(between(from, to, eased(share)));
        if (share < 1) frame.current = requestAnimationFrame(move);
        else onEnd();
      };
      frame.current = requestAnimationFrame(move);
    },
    [choose],
  );
}
