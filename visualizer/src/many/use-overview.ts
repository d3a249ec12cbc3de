import { useEffect, useState } from "react";
import type { Overview, OverviewFigure } from "../../../src/inspect/protocol/overview.ts";
import { queryOf } from "../logic/run-filter.ts";
import { client } from "../store/client.ts";
import { model } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";
import type { RunRow } from "../wire/types.ts";
import { t } from "../words/t.ts";

/** The time until the server is asked again: while it reads runs, once it has read all, and after a failure, ms. */
const [READING_MS, INTERVAL_MS, FAILED_MS] = [400, 10_000, 5_000];

const MINUTE_MS = 60_000;

/** The filter of the list of runs as the server takes it. */
function filterQuery(): URLSearchParams {
  // by the minute, so that the server can go on with what it was reading
  const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  const query = queryOf(model.filter, model.search, now);
  return new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]));
}

async function get<T>(path: string): Promise<T> {
  if (!client.api) throw new Error(t("The page is not connected."));
  return (await (await client.api.request(path)).json()) as T;
}

/** The overview as the server told it last; it is old if the filter has changed since, or the server was lost. */
type Told = { readonly overview?: Overview; readonly isOld?: boolean; readonly error?: string };

/** The overview of the runs that the filter of the list finds; asked for again while the page shows it. */
export function useOverview(): Told {
  const filter = useModel((all) => all.filter);
  const search = useModel((all) => all.search);
  const isConnected = useModel((all) => all.isConnected);
  const [state, setState] = useState<Told>({});
  useEffect(() => {
    let isCurrent = true;
    let timer: ReturnType<typeof setTimeout>;
    const ask = async (): Promise<void> => {
      let delay = FAILED_MS;
      try {
        const overview = await get<Overview>(`/api/overview?${filterQuery()}`);
        if (isCurrent) setState({ overview });
        delay = overview.left > 0 ? READING_MS : INTERVAL_MS;
      } catch (error) {
        if (isCurrent) setState((before) => ({ ...before, error: (error as Error).message }));
      }
      if (isCurrent) timer = setTimeout(() => void ask(), delay);
    };
    setState((before) => ({ ...before, isOld: true }));
    if (isConnected) void ask();
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [filter, search, isConnected]);
  return state;
}

/** Loads the runs behind a figure. */
export function loadBehind(
  figure: OverviewFigure,
): Promise<{ readonly rows: readonly RunRow[]; readonly total: number }> {
  const [[by, value] = ["", ""]] = Object.entries(figure);
  const query = filterQuery();
  query.set("by", by);
  query.set("value", String(value));
  return get(`/api/overview/runs?${query}`);
}

/** A report as the server lists it. */
export type ListedReport = { readonly file: string; readonly kind: string; readonly name: string | null };

/** Loads the list of reports. */
export async function loadReports(): Promise<readonly ListedReport[]> {
  return (await get<{ readonly reports: readonly ListedReport[] }>("/api/reports")).reports;
}

/** Loads a report with what it reports. */
export function loadReport(number: number): Promise<{ readonly kind: string; readonly report: object }> {
  return get(`/api/reports/${number}`);
}
