import { useEffect, useRef, useState } from "react";

/** Throttles a value to one change per `intervalMs`; 0 disables throttling. */
export function useThrottled<T>(value: T, intervalMs: number): T {
  const [throttled, setThrottled] = useState(value);
  const latest = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    latest.current = value;
    if (intervalMs === 0) return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      setThrottled(latest.current);
    }, intervalMs);
  }, [value, intervalMs]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return intervalMs === 0 ? value : throttled;
}
