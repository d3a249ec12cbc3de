import { useEffect, useRef, useState } from "react";
import { readCases, type Case } from "../parts/server.ts";

const EVERY_MS = 2_000;

export type Cases = {
  /** Those that wait for a person first, then the newest; undefined before the server has answered. */
  readonly cases: readonly Case[] | undefined;
  readonly problem: string | undefined;
  /** Reads them now, because one has changed. */
  readonly refresh: () => void;
};

/** The cases as the server has them. */
export function useCases(): Cases {
  const refresh = useRef(() => {});
  const [cases, setCases] = useState<readonly Case[]>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const ended = new AbortController();
    const read = async (): Promise<void> => {
      try {
        const next = sorted(await readCases(ended.signal));
        setCases((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
        setProblem(undefined);
      } catch (error) {
        if (!ended.signal.aborted) setProblem((error as Error).message);
      }
    };
    let isReading = false;
    const look = (): void => {
      if (isReading || document.hidden) return;
      isReading = true;
      void read().finally(() => (isReading = false));
    };
    refresh.current = look;
    look();
    const timer = setInterval(look, EVERY_MS);
    document.addEventListener("visibilitychange", look);
    return () => {
      ended.abort();
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  return { cases, problem, refresh: () => refresh.current() };
}

function sorted(cases: readonly Case[]): readonly Case[] {
  const isLater = ({ phase }: Case): number => (phase === "suspended" ? 0 : 1);
  return cases.toSorted((one, other) => isLater(one) - isLater(other) || other.updatedAt - one.updatedAt);
}
