import { useEffect, useState } from "react";
import { useThrottled } from "../parts/use-throttled.ts";
import type { Suspicion } from "../wire/types.ts";
import { client } from "./client.ts";
import { model } from "./model.ts";
import { useModel } from "./use-model.ts";

/** The time between two questions about what is odd in a run while it works, ms. */
const INTERVAL_MS = 1_000;
const NONE: readonly Suspicion[] = [];

/**
 * Finds what is odd in the selected run up to its newest step. Of a file it is found here, of other runs by the server, which has the
 * checks of its user too.
 */
export function useSuspicions(): readonly Suspicion[] {
  const runId = useModel((all) => all.selection.runId);
  const last = useThrottled(
    useModel((all) => Math.max(all.run.last, all.run.total)),
    INTERVAL_MS,
  );
  const isConnected = useModel((all) => all.isConnected);
  const [found, setFound] = useState<{ readonly runId: string; readonly items: readonly Suspicion[] }>();
  useEffect(() => {
    if (runId === null || last === 0) return;
    let isCurrent = true;
    suspicionsOf(runId).then(
      (items) => void (isCurrent && setFound({ runId, items })),
      () => {}, // they are asked for again with the next step
    );
    return () => void (isCurrent = false);
  }, [runId, last, isConnected]);
  return found?.runId === runId && found ? found.items : NONE;
}

async function suspicionsOf(runId: string): Promise<readonly Suspicion[]> {
  const file = model.files.get(runId);
  if (!file) return (await client.api?.suspicions(runId)) ?? NONE;
  const { suspicionsInFile } = await import("./file-suspicions.ts");
  return suspicionsInFile(file.data);
}

let checks: Promise<readonly { readonly name: string; readonly title: string }[]> | undefined;

/** Returns what the server checks runs for; empty until it has said so. */
export function useChecks(): readonly { readonly name: string; readonly title: string }[] {
  const [known, setKnown] = useState<Awaited<NonNullable<typeof checks>>>([]);
  useEffect(() => {
    checks ??= client.api?.checks();
    checks?.then(setKnown, () => void (checks = undefined));
  }, []);
  return known;
}
