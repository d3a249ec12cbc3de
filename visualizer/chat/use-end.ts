import { useLayoutEffect, useRef, type RefObject } from "react";

/** The distance from the end within which a reader follows what is added, px. */
const NEAR = 80;

/** Keeps the end of a list in view while its reader is there. */
export function useEnd(scroller: RefObject<HTMLElement | null>, ...changes: readonly unknown[]) {
  const follows = useRef(true);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element && follows.current) element.scrollTop = element.scrollHeight;
  }, [...changes, scroller]);
  return {
    onScroll: (): void => {
      const element = scroller.current;
      if (element) follows.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
    },
  };
}
