import { useEffect, useRef, useState } from "react";
import { model } from "../store/model.ts";

const MOST_ANIMATED = 8;
const MOST_SHOWN = 60;
const SLOW_FRAME = 50;

/** The step that the chart shows, and whether there is time to animate its edge: beyond 8 changes a second edges only light
 *  up, and beyond 60 the chart changes 20 times a second. */
export function usePace(): { readonly q: number; readonly version: number; readonly isCalm: boolean } {
  const [shown, setShown] = useState({ q: model.q, version: model.run.version, isCalm: true });
  const changes = useRef<{ readonly at: number; readonly count: number }[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    let last = model.q;
    let told = 0;
    const show = (): void => {
      timer.current = undefined;
      told = performance.now();
      const now = {
        q: model.q,
        version: model.run.version,
        isCalm: perSecond(changes.current) <= MOST_ANIMATED,
      };
      setShown((before) => (before.q === now.q && before.version === now.version ? before : now));
    };
    const notice = (): void => {
      const now = performance.now();
      if (model.q !== last) changes.current.push({ at: now, count: Math.abs(model.q - last) });
      last = model.q;
      changes.current = changes.current.filter(({ at }) => now - at < 1_000);
      if (timer.current !== undefined) return;
      const isFast = perSecond(changes.current) > MOST_SHOWN;
      if (isFast && now - told < SLOW_FRAME) timer.current = setTimeout(show, SLOW_FRAME - (now - told));
      else show();
    };
    notice();
    const stop = model.subscribe(notice);
    return () => {
      stop();
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, []);
  return shown;
}

/** A jump counts as one change, steps that arrive together as many. */
function perSecond(changes: readonly { readonly count: number }[]): number {
  return changes.reduce((sum, { count }) => sum + (count > 40 ? 1 : count), 0);
}
