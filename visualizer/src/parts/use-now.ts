import { useEffect, useState } from "react";

/** Returns the current time, epoch ms, updated every `intervalMs` while `isRunning`. */
export function useNow(intervalMs: number, isRunning = true): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isRunning) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs, isRunning]);
  return now;
}
