import { useEffect, useRef, useState, type RefObject } from "react";

/** How far from its end a list counts as at its end, px. */
const NEAR = 48;

type Follow = {
  readonly ref: RefObject<HTMLElement | null>;
  /** True if the reader has scrolled away from the end. */
  readonly isBehind: boolean;
  readonly onScroll: () => void;
  readonly toEnd: () => void;
};

/** Keeps the end of something that grows in view, unless the reader has scrolled away from it. */
export function useFollow(): Follow {
  const ref = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  const [isBehind, setBehind] = useState(false);
  const toEnd = (): void => {
    const list = ref.current;
    if (!list) return;
    isAtEnd.current = true;
    setBehind(false);
    list.scrollTop = list.scrollHeight;
  };
  const onScroll = (): void => {
    const { scrollTop, scrollHeight, clientHeight } = ref.current!;
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR;
    setBehind(!isAtEnd.current);
  };
  useEffect(() => {
    const list = ref.current!;
    const keep = new ResizeObserver(() => {
      if (isAtEnd.current) list.scrollTop = list.scrollHeight;
    });
    keep.observe(list);
    keep.observe(list.firstElementChild!);
    return () => keep.disconnect();
  }, []);
  return { ref, isBehind, onScroll, toEnd };
}
