import { useEffect, useState } from "react";
import { QUICK_FILTERS, type QuickName } from "../logic/quick-filters.ts";
import { useThrottled } from "../parts/use-throttled.ts";
import { client } from "./client.ts";
import { useModel } from "./use-model.ts";

/** The counts follow changes of the list so often, ms. */
const INTERVAL_MS = 10_000;

/** Counts the runs that pass each quick filter, by the server, which knows those that are not loaded too; absent until then. */
export function useCounts(): { readonly [name in QuickName]?: number } {
  const isConnected = useModel((all) => all.isConnected);
  const rows = useThrottled(
    useModel((all) => all.rows),
    INTERVAL_MS,
  );
  const [counts, setCounts] = useState<{ readonly [name in QuickName]?: number }>({});
  useEffect(() => {
    const { api } = client;
    if (!isConnected || !api || rows.size === 0) return;
    let isCurrent = true;
    for (const { name, query } of QUICK_FILTERS)
      api.runs({ ...query, limit: 1 }).then(
        ({ total }) => void (isCurrent && setCounts((before) => ({ ...before, [name]: total }))),
        () => {}, // it is counted again with the next change
      );
    return () => void (isCurrent = false);
  }, [isConnected, rows]);
  return counts;
}
