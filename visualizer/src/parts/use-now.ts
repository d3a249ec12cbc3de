import { useEffect, useState } from "react";

/** The instant, epoch ms, told anew every `each` ms while `isRunning`. */
export function useNow(each: number, isRunning = true): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isRunning) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), each);
    return () => clearInterval(timer);
  }, [each, isRunning]);
  return now;
}
