import { useEffect, useState } from "react";
import { client } from "./client.ts";
import type { RunRow } from "../wire/types.ts";
import { model, type Model } from "./model.ts";
import { mergeRows } from "./rows.ts";
import { RunData } from "./run-data.ts";

const STEPS_PER_PAGE = 1_000;
/** Runs that were loaded besides the selected one, the newest last. */
const loaded = new Map<string, RunData>();
const MAX_LOADED = 24;
/** The number that is kept: at least all that are drawn together, else they would push each other out again and again. */
let most = MAX_LOADED;
const loading = new Set<string>();
/** The number of steps that a run was said to have when it had no more: that of a stored session which was not opened is an upper bound. */
const wholeAt = new Map<string, number>();
/** The runs that could not be loaded, each with the connection at that time: with the next one they are asked for again. */
const missing = new Map<string, Model["connection"]>();

/** The steps of a run that is not selected, as far as they are loaded. */
function dataOf(runId: string): RunData {
  const file = model.files.get(runId)?.data;
  if (file) return file;
  const known = loaded.get(runId) ?? new RunData();
  loaded.delete(runId);
  loaded.set(runId, known);
  for (const [old] of loaded) if (loaded.size > most) loaded.delete(old);
  return known;
}

/** Forgets the steps of all runs but the selected one. */
export function forgetSteps(): void {
  loaded.clear();
  wholeAt.clear();
}

/** The run and the position from which the selected run was forked, if it can be shown: a file may name any run, which is not asked for. */
export function originalOf({ row, rows }: Model): RunRow["forkOf"] {
  const forkOf = row?.forkOf;
  return forkOf && (row.source !== "file" || rows.has(forkOf.runId)) ? forkOf : undefined;
}

/** True for a run that could not be loaded, such as one that was deleted. */
export function isMissing(runId: string): boolean {
  return missing.get(runId) === model.connection;
}

/** Loads the row of a run if it is not listed, and the steps that are new. */
async function refresh(runId: string): Promise<void> {
  if (loading.has(runId) || isMissing(runId) || model.files.has(runId) || !client.api) return;
  const data = dataOf(runId);
  loading.add(runId);
  try {
    if (!model.rows.has(runId)) mergeRows([(await client.api.run(runId)).row], performance.now());
    const total = (): number => model.rows.get(runId)?.steps ?? 0;
    while (data.last < total()) {
      const from = data.last + 1;
      data.add(await client.api.steps(runId, from, from + STEPS_PER_PAGE - 1));
      if (data.last >= from) continue;
      wholeAt.set(runId, total());
      break;
    }
    model.changed();
  } catch {
    missing.set(runId, model.connection);
    model.changed();
  } finally {
    loading.delete(runId);
  }
}

/** Returns the steps of runs, which are loaded and updated while the caller is drawn. */
export function useWholeRuns(runIds: readonly string[]): readonly RunData[] {
  const key = runIds.join(",");
  const [, setVersion] = useState("");
  useEffect(() => {
    const ids = key === "" ? [] : key.split(",");
    const update = (): void => {
      setVersion(
        ids.map((id) => `${dataOf(id).version} ${model.rows.get(id)?.updatedAt} ${isMissing(id)}`).join(),
      );
      for (const id of ids) {
        const steps = model.rows.get(id)?.steps;
        const isWhole = steps !== undefined && (dataOf(id).last >= steps || wholeAt.get(id) === steps);
        if (!isWhole) void refresh(id);
      }
    };
    update();
    return model.subscribe(update);
  }, [key]);
  most = Math.max(MAX_LOADED, runIds.length);
  return runIds.map(dataOf);
}
