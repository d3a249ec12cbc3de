import { useEffect, useLayoutEffect, useState, type RefObject } from "react";

type Size = { readonly width: number; readonly height: number };

/** Returns the inner size of an element, px; 0 before it is mounted. It is known before the element is painted for the first time. */
export function useSize(ref: RefObject<Element | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    if (ref.current) setSize(innerSize(ref.current));
  }, [ref]);
  useEffect(() => {
    if (!ref.current) return;
    const observer = new ResizeObserver(([entry]) => {
      if (!entry) return;
      const { width, height } = entry.contentRect;
      setSize((now) => (now.width === width && now.height === height ? now : { width, height }));
    });
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, [ref]);
  return size;
}

function innerSize(element: Element): Size {
  const { paddingLeft, paddingRight, paddingTop, paddingBottom } = getComputedStyle(element);
  const width = element.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  const height = element.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom);
  return { width: Math.max(0, width), height: Math.max(0, height) };
}
