import { useEffect, useRef, useState } from "react";

/** A value that changes often, as it was at most `each` ms ago; at once if `each` is 0. */
export function useCalm<T>(value: T, each: number): T {
  const [shown, setShown] = useState(value);
  const latest = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    latest.current = value;
    if (each === 0) return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      setShown(latest.current);
    }, each);
  }, [value, each]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return each === 0 ? value : shown;
}
